//! The clauses on what a READ or WRITE returns: blocks, headers, status lines and ends.
use crate::clause::{Defect, Entry, Level, Mutation};

/// S:2012-2013: length of a READ and its continuation.
pub(super) const S2012: Entry = Entry {
    id: "S:2012-2013",
    title: "length of a READ and its continuation",
    level: Level::Shall,
    sentence: "A READ may ask for 1 to 1472 bytes, and a reply longer than one block (the 2-byte \
               header and 893 bytes) continues in a further block over Data More, exactly as on a \
               plain TCP socket.",
    details: &[],
    observable: "With room enough the client asks for 1472; 894 to 1472 bytes arrive in two \
                 blocks, with the status line on the second only.",
    edges: &[
        "Length 0 or 1473: an empty reply and status 82.",
        "893 bytes are one block, 894 are 893 and 1.",
    ],
    defects: &[],
    source: "specification v1, lines 2012 and 2013",
    mutations: &[
        Mutation::breaks("more-never-taken", "never accept a Data More"),
        Mutation::breaks("request-893", "ask for 893 bytes at most"),
    ],
};

/// S 1.5: sizes of WRITE and of one block.
pub(super) const S1_5: Entry = Entry {
    id: "S 1.5",
    title: "sizes of WRITE and of one block",
    level: Level::Shall,
    sentence: "A WRITE carries at most 892 bytes of plaintext, and one block of a READ at most \
               893.",
    details: &[],
    observable: "A body of 1024 bytes leaves in pieces of 892 and 132.",
    edges: &[
        "The command queue counts at most 895 bytes: of 893 bytes written, 892 are sent and the \
         status is clean.",
        "A client that takes one block only must not ask for more than 893.",
    ],
    defects: &[],
    source: "specification v1, section 1.5",
    mutations: &[
        Mutation::breaks("write-max-1024", "write pieces of 1024 bytes"),
        Mutation::breaks(
            "read-max-1472",
            "ask for 1472 bytes in a client that takes one block only",
        ),
    ],
};

/// S 1.6: results of READ and WRITE.
pub(super) const S1_6: Entry = Entry {
    id: "S 1.6",
    title: "results of READ and WRITE",
    level: Level::Shall,
    sentence: "A READ header of $0000 ends the stream: after status 01 or 05 the handle is gone, \
               after 12, 14, 16 or 17 the session is dead but still the client's to close; a \
               header of $FFFF carries no count, and a WRITE is done only when its count is the \
               whole piece.",
    details: &[],
    observable: "01 or 05: state CLOSED, end code 1 or 5, no close. 12, 14, 16 or 17: state \
                 ERROR, $90, then a close. A WRITE that fails: ERROR, $87, then a close.",
    edges: &["After 05 (closed without notice) only a body whose length is framed may be trusted."],
    defects: &[],
    source: "specification v1, section 1.6",
    mutations: &[
        Mutation::breaks("sticky-as-gone", "treat 12, 14, 16 and 17 as gone"),
        Mutation::breaks("write-result-ignored", "do not check the count of a WRITE"),
        Mutation::breaks(
            "05-unframed-trusted",
            "take an unframed body that ended with 05 for complete",
        ),
        Mutation::breaks("05-as-owned", "keep the handle after 05"),
        Mutation::breaks("dead-read-no-code", "leave no error code after 12, 14, 16 or 17"),
        Mutation::breaks("dead-read-is-86", "report them as $86"),
    ],
};

/// S 1.6 M10: a handle that is gone.
pub(super) const S1_6_M10: Entry = Entry {
    id: "S 1.6 M10",
    title: "a handle that is gone",
    level: Level::Shall,
    sentence: "The number of a handle that is gone may already be another socket's, so the client \
               never names it again.",
    details: &[],
    observable: "After 01 or 05 no close and no other command carries that number.",
    edges: &[],
    defects: &[],
    source: "specification v1, section 1.6, M10",
    mutations: &[Mutation::breaks("close-after-gone", "close without looking at ownership")],
};

/// ER-5: blocks are read to their end, holes never accepted.
pub(super) const ER5: Entry = Entry {
    id: "ER-5",
    title: "blocks are read to their end, holes never accepted",
    level: Level::Shall,
    sentence: "Each block is read until bit 7 is 0 before it is accepted; a block that ends short \
               of what its header owes, or goes on past it, is a hole, which the client never \
               accepts over but aborts and then closes.",
    details: &[
        "A Data More is accepted only after a first block of exactly 893 payload bytes while the \
         header still owes some, so that a second Data More never is.",
    ],
    observable: "After a hole there is no accept in state 11: $8F when bytes are missing, $8B \
                 when there are too many, nothing is owed or the header exceeds the request; \
                 state ERROR, handle owned, then a close.",
    edges: &["Bytes copied before the hole shows are already in the ring."],
    defects: &[Defect::new(
        "P-14",
        "A short Data More block accepted the moment it shows would have its accept wiped by \
         the firmware and hang in state 01; only full blocks ever being accepted avoids it.",
    )],
    source: "errata v1.1, item 5",
    mutations: &[
        Mutation::breaks("accept-data-more", "accept a Data More over a hole"),
        Mutation::breaks("bad-gate-removed", "accept a bad block"),
        Mutation::breaks("short-not-8f", "report a short block as $8B"),
        Mutation::breaks("tail-no-code", "report surplus bytes as code 1"),
        Mutation::breaks(
            "more-after-short-block",
            "accept a Data More after a first block of any length",
        ),
    ],
};

/// ER-7: idle, or not ours.
pub(super) const ER7: Entry = Entry {
    id: "ER-7",
    title: "idle, or not ours",
    level: Level::Shall,
    sentence: "A header of $FFFF means idle only with exactly the status line `02,NO DATA: 11`; \
               with any other line the number is not the client's, which stops and does not close \
               it.",
    details: &[],
    observable: "`02,NO DATA: 11` leaves the client CONNECTED; `: 9` or `: 12` gives ERROR, not \
                 owned, $90 and no further command.",
    edges: &["The length of the line, 14, is checked as well."],
    defects: &[],
    source: "errata, item 7",
    mutations: &[
        Mutation::breaks("ffff-9-as-idle", "take a number that is not ours for idle"),
        Mutation::breaks("idle-11-unchecked", "take any 14-byte line with status 02 for idle"),
        Mutation::breaks("not-ours-no-code", "leave no error code"),
    ],
};

/// ER-8: status lines are kept whole.
pub(super) const ER8: Entry = Entry {
    id: "ER-8",
    title: "status lines are kept whole",
    level: Level::Shall,
    sentence: "A status line has at most 40 bytes, and the client keeps all of them.",
    details: &[],
    observable: "The 40-byte line of status 94 reaches the user unabridged.",
    edges: &["Each command begins with an empty line; nothing is left of the one before."],
    defects: &[],
    source: "errata, item 8",
    mutations: &[Mutation::breaks("status-16-bytes", "keep 16 bytes")],
};

/// ER-12: an empty reply is not the end of the stream.
pub(super) const ER12: Entry = Entry {
    id: "ER-12",
    title: "an empty reply is not the end of the stream",
    level: Level::Shall,
    sentence: "Bit 7 is tested before the header is read, so that a reply without data is told \
               from a header of $0000.",
    details: &[],
    observable: "An empty reply gives ERROR, handle owned, $8B, then a close.",
    edges: &["Reading the empty queue gives $00: untested, two such bytes look like the end."],
    defects: &[],
    source: "errata, item 12",
    mutations: &[
        Mutation::breaks("empty-reply-as-eof", "take an empty reply for the end"),
        Mutation::breaks("dead-hdr-no-code", "leave no error code"),
    ],
};

/// ER-21: READ before WRITE.
pub(super) const ER21: Entry = Entry {
    id: "ER-21",
    title: "READ before WRITE",
    level: Level::Shall,
    sentence: "Before any WRITE the client sends READs until nothing is pending, and after a \
               WRITE that ends with status 12 it closes at once.",
    details: &[],
    observable: "With data pending the commands are READ, READ, WRITE, and the early data is in \
                 the ring.",
    edges: &[
        "A WRITE after the peer's close discards plaintext that was not yet read.",
        "A full ring also ends the reading.",
    ],
    defects: &[],
    source: "errata, item 21",
    mutations: &[Mutation::breaks("write-before-read", "do not read before a WRITE")],
};
