//! The clauses on time bounds, aborts and what is left when an abort is not served.
use crate::clause::{Defect, Entry, Level, Mutation};

/// S 1.1 ABORT: an abort does not shorten a command.
pub(super) const S1_1_ABORT: Entry = Entry {
    id: "S 1.1 ABORT",
    title: "an abort does not shorten a command",
    level: Level::Shall,
    sentence: "An abort does not shorten the command in progress; when that returns, the reset \
               drops its pending reply (Rule 1).",
    details: &[],
    observable: "Bit 2 stays set until the command has returned, and both queues look empty \
                 meanwhile.",
    edges: &["A command that never returns leaves bit 2 set: see ER-11."],
    defects: &[Defect::new(
        "P-12",
        "An abort and an accept seen in one interrupt end in an empty last block with status \
         03 instead of in the idle state.",
    )],
    source: "specification v1, section 1.1, ABORT",
    mutations: &[],
};

/// S 1.1 M-2: an aborted READ has lost its data.
pub(super) const S1_1_M2: Entry = Entry {
    id: "S 1.1 M-2",
    title: "an aborted READ has lost its data",
    level: Level::Shall,
    sentence: "A READ that was aborted has lost its data, so the client gives up the connection \
               and closes the handle.",
    details: &[],
    observable: "State ERROR, handle still owned, then 03 09 and the handle.",
    edges: &["The same holds for a continuation that never came."],
    defects: &[],
    source: "specification v1, section 1.1, M-2",
    mutations: &[Mutation::breaks("aborted-read-kept", "stay CONNECTED after an aborted READ")],
};

/// S 1.1 others: other commands that were aborted.
pub(super) const S1_1_OTHERS: Entry = Entry {
    id: "S 1.1 others",
    title: "other commands that were aborted",
    level: Level::Shall,
    sentence: "An aborted CLOSE has completed; an aborted WRITE was done in full or its handle is \
               dead, and it is never sent again; an aborted INFO needs nothing.",
    details: &[],
    observable: "After an aborted CLOSE nothing is owned, and no piece of a WRITE is seen twice \
                 on the bus.",
    edges: &[],
    defects: &[],
    source: "specification v1, section 1.1, the other commands",
    mutations: &[],
};

/// App. A: rules around an abort.
pub(super) const APP_A: Entry = Entry {
    id: "App. A",
    title: "rules around an abort",
    level: Level::Shall,
    sentence: "An abort is never written together with a push, nothing at all is written while \
               bit 2 is set, and a RELEASE that was aborted is sent once more.",
    details: &[],
    observable: "No control write has bits 0 and 2 both set, and none falls between an abort and \
                 the end of bit 2.",
    edges: &["At startup abort and clear-error go out together, as $0C."],
    defects: &[],
    source: "specification v1, appendix A",
    mutations: &[
        Mutation::breaks("abort-with-push", "write abort and push in one"),
        Mutation::breaks("no-release-retry", "do not send an aborted 03 25 again"),
    ],
};

/// ER-1: time bounds count from the push.
pub(super) const ER1: Entry = Entry {
    id: "ER-1",
    title: "time bounds count from the push",
    level: Level::Shall,
    sentence: "Bounds count from the push, 45 s for OPEN_TLS and 12 s for any other command; then \
               the client aborts and waits for bit 2 until the later of push + bound and abort + \
               12 s, or until abort + 45 s when the time of the push is unknown.",
    details: &[],
    observable: "An open that takes 30 s succeeds without an abort; one of 50 s is aborted 45 to \
                 47 s after its push.",
    edges: &[],
    defects: &[],
    source: "errata v1.1, item 1",
    mutations: &[
        Mutation::breaks("open-bound-12s", "bound OPEN_TLS by 12 s"),
        Mutation::breaks("post-abort-1s", "wait 1 s after the abort"),
    ],
};

/// ER-1 Clock: clock of the bounds.
pub(super) const ER1_CLOCK: Entry = Entry {
    id: "ER-1 Clock",
    title: "clock of the bounds",
    level: Level::Shall,
    sentence: "Bounds are measured by a clock that neither a faster processor nor a wrong 50/60 \
               Hz bit can change.",
    details: &[],
    observable: "CIA 2 counts units of 10.0 ms (NTSC) or 10.4 ms (PAL), at 1 MHz as at 48 MHz.",
    edges: &[
        "The time-of-day clock could run 20 % fast.",
        "The 16-bit count wraps after 655 s; differences survive that.",
    ],
    defects: &[],
    source: "errata v1.1, item 1, clock",
    mutations: &[],
};

/// ER-1 N-1: bound of a continuation.
pub(super) const ER1_N1: Entry = Entry {
    id: "ER-1 N-1",
    title: "bound of a continuation",
    level: Level::Shall,
    sentence: "The bound of a command covers its first block only; each continuation has 12 s \
               from the data-accept of the block before it.",
    details: &[],
    observable: "A continuation that comes 11 s after the accept is taken.",
    edges: &["One that never comes: $89, an abort, then a close."],
    defects: &[],
    source: "errata v1.1, item 1, N-1",
    mutations: &[Mutation::breaks(
        "more-bound-short",
        "bound a continuation by less than 12 s from its accept",
    )],
};

/// ER-2: startup.
pub(super) const ER2: Entry = Entry {
    id: "ER-2",
    title: "startup",
    level: Level::Shall,
    sentence: "At startup the client checks that the interface is there, writes $0C, waits up to \
               45 s for bit 2, closes handles 0 to 15 and sends INFO, but no RELEASE.",
    details: &[],
    observable: "The first control write is $0C, sixteen CLOSEs follow in order, then 03 23 FF.",
    edges: &["No interface (identification neither $C9 nor $49): nothing is written, $81."],
    defects: &[],
    source: "errata, item 2",
    mutations: &[
        Mutation::breaks("abort-not-0c", "abort without clearing the error"),
        Mutation::breaks("sweep-0..14", "stop closing at handle 14"),
        Mutation::breaks("no-presence-check", "ignore the identification"),
    ],
};

/// ER-11: a wedge is final.
pub(super) const ER11: Entry = Entry {
    id: "ER-11",
    title: "a wedge is final",
    level: Level::Shall,
    sentence: "Once bit 2 has outlasted the wait after an abort the client writes nothing more, \
               and its user interface halts on PRESS RESET.",
    details: &[],
    observable: "Later closes, polls and opens leave no write on the bus.",
    edges: &[],
    defects: &[],
    source: "errata, item 11",
    mutations: &[
        Mutation::breaks("wedge-not-latched", "do not remember the wedge"),
        Mutation::breaks("halt-is-rts", "let the user interface return"),
        Mutation::breaks("begin-ignores-wedge", "write while wedged"),
    ],
};
