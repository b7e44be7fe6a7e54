//! The manager loop of a Tailscale client.
