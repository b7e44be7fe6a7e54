//! The clauses of the READ path: what the client, the register interface and the firmware that
//! answers owe each other; one entry each, grouped by what they are about.
//!
//! Ids are those of the sources: `S` with lines or a section of specification v1, `ER` with an item
//! of its errata. A *hole* is a place in the stream where bytes are missing or must be doubted;
//! *owned* means that the handle is still the client's to close. Codes such as `$8B` are the
//! client's error codes, two-digit statuses such as 82 the firmware's.

use crate::clause::clause_register;

mod bounds;
mod commands;
mod opening;
mod reads;

clause_register! {
    /// S:2012-2013: length of a READ and its continuation.
    S2012 => reads::S2012,
    /// S 0: command numbers.
    S0 => commands::S0,
    /// S 1.1 open: opening a session.
    S1_1Open => opening::S1_1_OPEN,
    /// S 1.1 tail grammar: host name of an open.
    S1_1Tail => opening::S1_1_TAIL,
    /// S 1.1 ABORT: an abort does not shorten a command.
    S1_1Abort => bounds::S1_1_ABORT,
    /// S 1.1 M-2: an aborted READ has lost its data.
    S1_1M2 => bounds::S1_1_M2,
    /// S 1.1 others: other commands that were aborted.
    S1_1Others => bounds::S1_1_OTHERS,
    /// S 1.3: capability record.
    S1_3 => opening::S1_3,
    /// S 1.5: sizes of WRITE and of one block.
    S1_5 => reads::S1_5,
    /// S 1.6: results of READ and WRITE.
    S1_6 => reads::S1_6,
    /// S 1.6 M10: a handle that is gone.
    S1_6M10 => reads::S1_6_M10,
    /// S 1.7: TLS version.
    S1_7 => opening::S1_7,
    /// S 1.8: release after a lost open.
    S1_8 => opening::S1_8,
    /// S 2: a refused open.
    S2 => opening::S2,
    /// S 4.3: longest open.
    S4_3 => opening::S4_3,
    /// App. A: rules around an abort.
    AppA => bounds::APP_A,
    /// ER-1: time bounds count from the push.
    Er1 => bounds::ER1,
    /// ER-1 Clock: clock of the bounds.
    Er1Clock => bounds::ER1_CLOCK,
    /// ER-1 N-1: bound of a continuation.
    Er1N1 => bounds::ER1_N1,
    /// ER-2: startup.
    Er2 => bounds::ER2,
    /// ER-4: exact lengths of INFO and RELEASE.
    Er4 => commands::ER4,
    /// ER-5: blocks are read to their end, holes never accepted.
    Er5 => reads::ER5,
    /// ER-7: idle, or not ours.
    Er7 => reads::ER7,
    /// ER-8: status lines are kept whole.
    Er8 => reads::ER8,
    /// ER-9: handle numbers.
    Er9 => commands::ER9,
    /// ER-10: waiting for the module before an open.
    Er10 => opening::ER10,
    /// ER-11: a wedge is final.
    Er11 => bounds::ER11,
    /// ER-12: an empty reply is not the end of the stream.
    Er12 => reads::ER12,
    /// ER-16: meaning of the ready bits.
    Er16 => opening::ER16,
    /// ER-21: READ before WRITE.
    Er21 => reads::ER21,
    /// ER-22: detecting firmware without TLS.
    Er22 => opening::ER22,
    /// v1.3 (coming): alerts that mean no TLS 1.3.
    V1_3 => opening::V1_3,
    /// client rules: what the client adds of its own.
    ClientRules => commands::CLIENT,
}
