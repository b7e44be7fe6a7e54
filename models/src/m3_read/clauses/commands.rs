//! The clauses on commands as such, and the rules that the client adds of its own.
use crate::clause::{Defect, Entry, Level, Mutation};

/// S 0: command numbers.
pub(super) const S0: Entry = Entry {
    id: "S 0",
    title: "command numbers",
    level: Level::Shall,
    sentence: "On target 3 the commands are $05 GET_IPADDR, $09 CLOSE, $10 READ, $11 WRITE, $21 \
               OPEN_TLS, $23 INFO and $25 RELEASE.",
    details: &[],
    observable: "Byte 0 of every command is $03 and byte 1 one of these.",
    edges: &["Firmware without TLS answers with status 21."],
    defects: &[],
    source: "specification v1, section 0",
    mutations: &[],
};

/// ER-4: exact lengths of INFO and RELEASE.
pub(super) const ER4: Entry = Entry {
    id: "ER-4",
    title: "exact lengths of INFO and RELEASE",
    level: Level::Shall,
    sentence: "INFO is exactly 3 bytes and RELEASE exactly 2.",
    details: &[],
    observable: "03 23 FF and 03 25 on the bus, with nothing behind.",
    edges: &["With a trailing zero INFO gets status 81 and claims all sessions, which defeats a \
              RELEASE."],
    defects: &[],
    source: "errata, item 4",
    mutations: &[Mutation::breaks("info-trailing-00", "send INFO with 4 bytes")],
};

/// ER-9: handle numbers.
pub(super) const ER9: Entry = Entry {
    id: "ER-9",
    title: "handle numbers",
    level: Level::Shall,
    sentence: "Handles are 0 to 15, and 0 is a handle like any other.",
    details: &[],
    observable: "READ and CLOSE of a session on handle 0 name handle 0.",
    edges: &["Ownership is a flag of its own, never a comparison with 0."],
    defects: &[],
    source: "errata, item 9",
    mutations: &[Mutation::breaks("handle-0-is-none", "take handle 0 for none")],
};

/// client rules: what the client adds of its own.
pub(super) const CLIENT: Entry = Entry {
    id: "client rules",
    title: "what the client adds of its own",
    level: Level::Observed,
    sentence: "A rejected push never ran; a rejected CLOSE is pushed once more; no open is sent \
               over a handle that was not closed; a write refused by the expansion memory makes \
               the body incomplete; a wedge while an unowed Data More is aborted keeps $89.",
    details: &[
        "A command begins when the interface is idle; after 12 s without that the client aborts \
         first.",
        "After the accept of a block the client waits until the next is valid; one that never \
         comes is $89.",
        "An unframed body that stalls is incomplete. An open refused over a held session is $84 \
         with its own hint.",
    ],
    observable: "A CLOSE rejected twice: the handle stays owned, the next open is refused with \
                 $84, and a later close frees it.",
    edges: &[],
    defects: &[Defect::new(
        "P-22",
        "The viewer is entered whatever the verdict on the body; that it is incomplete is \
         said only on leaving it.",
    )],
    source: "practice of the client, outside the specification",
    mutations: &[
        Mutation::breaks("sink-refusal-ignored", "read on after a refused write"),
        Mutation::breaks("sink-refusal-complete", "report a refused body as complete"),
        Mutation::breaks(
            "stall-unframed-trusted",
            "take an unframed body that stalled for complete",
        ),
        Mutation::breaks("rejected-as-reply", "read a rejected push as a reply"),
        Mutation::breaks("no-entry-wait", "do not wait for the idle state before a command"),
        Mutation::breaks("close-rejected-drops-owned", "count a rejected CLOSE as done"),
        Mutation::breaks("close-no-retry", "do not push a rejected CLOSE again"),
        Mutation::breaks("connect-stomps-unclosed", "open over a handle that was not closed"),
        Mutation::breaks("hints-2-3-swapped", "exchange two of the hints"),
        Mutation::breaks("wedge-89-overwritten", "lose $89 in a wedge over Data More"),
        Mutation::breaks("held-session-stale", "do not set the hint of a held session"),
        Mutation::breaks("held-session-code-0", "leave no error code over a held session"),
        Mutation::breaks("more-no-wait", "do not wait for the continuation after its accept"),
        Mutation::breaks("more-lost-not-89", "report a lost continuation as $8F"),
    ],
};
