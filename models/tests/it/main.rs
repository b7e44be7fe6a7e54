//! What the registers hold, how properties are judged, and the firmware that answers the READ
//! client, from outside: one binary, a file per module.
mod bound;
mod checker;
mod clauses;
mod demands;
mod m3_read;
mod machine;
mod once;
mod pitfalls;
mod property;
mod wg_mgr;
