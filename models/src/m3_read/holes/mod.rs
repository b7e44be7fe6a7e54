//! Every reply that a READ could get within a bound, by grammar and not from memory: which of them a
//! firmware may send, and how each must end.
//!
//! ```text
//!   reply    = announced, blocks, tail          announced: 6 totals around the limits
//!   blocks   = block | block block | block block block
//!   block    = fill, delivery                   fill: short, exact, long
//!   tail     = last | more                      delivery: on time, late, missing, twice, aborted
//!
//!   15 + 15² + 15³ = 3 615 block lists, times 2 tails, times 6 totals = 43 380 replies
//! ```
//!
//! A block too many needs no word of its own: it is a list longer than what is owed. Replies without
//! a count (nothing, half a header, $FFFF, $0000) have their own product in [`refusal`].
//!
//! [`expected`] reads the clauses naively and shares no code with the client; [`run`] plays a reply
//! on the bus and says what the client made of it. A test compares the two over the whole product.
//!
//! Clauses: ER-1 N-1, ER-5, ER-7, ER-12, S:2012-2013, S 1.1 M-2, S 1.6, S 1.6 M10.
pub mod expected;
pub mod grammar;
pub mod refusal;
pub mod run;
