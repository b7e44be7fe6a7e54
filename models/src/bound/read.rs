//! How long a request of the READ client can take, in units of its own clock: a sum of its waits.
//!
//! ```text
//!   idle ─ abort of unknown age ─ first block ─ continuation ─ abort
//! ```
//!
//! Everything between the waits is a bounded number of accesses. Each wait begins with a reading of its
//! own and may be seen `late` units after its end, once for each reading that is late.
//!
//! Clauses: ER-1, ER-1 N-1.
use firmware_core::m3_read::config::{Blocks, Config};

/// The longest that one READ can take, in units, when a clock reading comes at most one unit after the
/// one before, and `late` units more are lost in all.
pub fn read_units(config: &Config, late: u64) -> u64 {
    let bounds = &config.bounds;
    let wait = |units: u16| u64::from(units) + 1;
    let first = wait(bounds.command);
    let continuation = match config.blocks {
        Blocks::One => 0,
        Blocks::Two => wait(bounds.command),
    };
    // An abort may take until its own bound or until that of the command, whichever is later.
    let abort = wait(bounds.post_abort.max(bounds.command));
    wait(bounds.command) + wait(bounds.unknown_push) + first + continuation + abort + late
}

/// The same for a CLOSE: no continuation, and a refused one is pushed once more.
pub fn close_units(config: &Config, late: u64) -> u64 {
    let bounds = &config.bounds;
    let wait = |units: u16| u64::from(units) + 1;
    let once = wait(bounds.command) + wait(bounds.unknown_push);
    // The first push is refused by the first sample: no wait for its reply.
    let abort = wait(bounds.post_abort.max(bounds.command));
    2 * once + 1 + wait(bounds.command) + abort + late
}
