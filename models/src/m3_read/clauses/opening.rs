//! The clauses on opening a session: its layout, its reply, its refusals and what precedes it.
use crate::clause::{Entry, Level, Mutation};

/// S 1.1 open: opening a session.
pub(super) const S1_1_OPEN: Entry = Entry {
    id: "S 1.1 open",
    title: "opening a session",
    level: Level::Shall,
    sentence: "OPEN_TLS carries port, trust, flags, an optional pin of 32 bytes and the host name \
               without a trailing zero; it has succeeded only with a reply of exactly 8 bytes, \
               and a refusal has an empty reply and leaves nothing open.",
    details: &[],
    observable: "The bytes are 03 21, port low, port high, trust, flags, then the host; after \
                 success the client owns the handle in the first byte.",
    edges: &[
        "Fewer or more than 8 bytes, or bytes with a refusal: RELEASE, then $88.",
        "After such a reply a session may exist; never assume that it does not.",
    ],
    defects: &[],
    source: "specification v1, section 1.1, OPEN_TLS",
    mutations: &[
        Mutation::breaks("ok-without-handle", "do not check the length of the reply"),
        Mutation::breaks("open-reply-any-length", "take only an empty reply for malformed"),
        Mutation::breaks("no-discard-check", "accept more than 8 bytes"),
        Mutation::breaks("refusal-data-kept", "do not release after a refusal with bytes"),
    ],
};

/// S 1.1 tail grammar: host name of an open.
pub(super) const S1_1_TAIL: Entry = Entry {
    id: "S 1.1 tail grammar",
    title: "host name of an open",
    level: Level::Shall,
    sentence: "The host name at the tail of OPEN_TLS has 1 to 253 bytes, none of them zero.",
    details: &[],
    observable: "A name of 0 or 254 bytes is refused by the client with $84, and no OPEN_TLS is \
                 sent.",
    edges: &["The firmware answers a zero byte in the name with status 81."],
    defects: &[],
    source: "specification v1, section 1.1, tail grammar",
    mutations: &[],
};

/// S 1.3: capability record.
pub(super) const S1_3: Entry = Entry {
    id: "S 1.3",
    title: "capability record",
    level: Level::Shall,
    sentence: "INFO (03 23 FF) returns the capability record of 16 bytes; status 21 in its place \
               means firmware without TLS.",
    details: &[],
    observable: "Status 21: $8E, and the line is kept for the user.",
    edges: &[],
    defects: &[],
    source: "specification v1, section 1.3",
    mutations: &[Mutation::breaks("unknown-not-8e", "report status 21 as $81")],
};

/// S 1.7: TLS version.
pub(super) const S1_7: Entry = Entry {
    id: "S 1.7",
    title: "TLS version",
    level: Level::Shall,
    sentence: "Sessions are TLS 1.3; the hardened TLS 1.2 is allowed only by an open whose flags \
               are 0, and a client that set the flag accepts no reply with a version other than \
               $0304.",
    details: &[],
    observable: "The flags byte is 01; a reply with version $0303 or $0404 is released and \
                 reported as $84.",
    edges: &[],
    defects: &[],
    source: "specification v1, section 1.7",
    mutations: &[
        Mutation::breaks("version-unchecked", "do not check the low byte of the version"),
        Mutation::breaks("no-major-check", "do not check its high byte"),
        Mutation::breaks("not-tls13-code-0", "leave no error code"),
        Mutation::breaks("tls12-offered", "send flags 0"),
    ],
};

/// S 1.8: release after a lost open.
pub(super) const S1_8: Entry = Entry {
    id: "S 1.8",
    title: "release after a lost open",
    level: Level::Shall,
    sentence: "After an OPEN_TLS that was aborted the next network command is RELEASE (03 25), \
               which closes only the session that no command has claimed.",
    details: &[],
    observable: "03 25 follows the abort, no session is left, and the error is $89.",
    edges: &["Only INFO (03 23 FF) may come between: any other command claims the session first."],
    defects: &[],
    source: "specification v1, section 1.8",
    mutations: &[Mutation::breaks("no-release", "send no 03 25")],
};

/// S 2: a refused open.
pub(super) const S2: Entry = Entry {
    id: "S 2",
    title: "a refused open",
    level: Level::Shall,
    sentence: "A refused OPEN_TLS leaves nothing open, and its status line is the reason.",
    details: &[],
    observable: "State CONNECT_FAIL, $8D, no handle owned, and the whole line is shown.",
    edges: &[],
    defects: &[],
    source: "specification v1, section 2",
    mutations: &[
        Mutation::breaks("refused-not-8d", "report it as $84"),
        Mutation::breaks("status-not-shown", "do not show the line"),
    ],
};

/// S 4.3: longest open.
pub(super) const S4_3: Entry = Entry {
    id: "S 4.3",
    title: "longest open",
    level: Level::Shall,
    sentence: "The firmware answers an OPEN_TLS within 41.1 s.",
    details: &[],
    observable: "A bound of 45 s never cuts off an open that the firmware still answers.",
    edges: &["Every other command is promised within 11.1 s, under a bound of 12 s."],
    defects: &[],
    source: "specification v1, section 4.3",
    mutations: &[],
};

/// ER-10: waiting for the module before an open.
pub(super) const ER10: Entry = Entry {
    id: "ER-10",
    title: "waiting for the module before an open",
    level: Level::Shall,
    sentence: "Before OPEN_TLS the client sends INFO about once a second, for up to 30 s, until \
               byte 4 reports readiness; after that it lets OPEN_TLS itself be refused.",
    details: &[],
    observable: "A module that is ready after 3 s sees 2 to 8 INFOs, then the open.",
    edges: &["With a pinned key the bit of trusted time is not waited for."],
    defects: &[],
    source: "errata, item 10",
    mutations: &[Mutation::breaks("no-ready-poll", "open without waiting")],
};

/// ER-16: meaning of the ready bits.
pub(super) const ER16: Entry = Entry {
    id: "ER-16",
    title: "meaning of the ready bits",
    level: Level::Shall,
    sentence: "In byte 4 of the capability record bit 0 stands for the module, bit 1 for entropy \
               and bit 2 for trusted time.",
    details: &[],
    observable: "$07 means that all three are ready.",
    edges: &[],
    defects: &[],
    source: "errata, item 16",
    mutations: &[],
};

/// ER-22: detecting firmware without TLS.
pub(super) const ER22: Entry = Entry {
    id: "ER-22",
    title: "detecting firmware without TLS",
    level: Level::Shall,
    sentence: "Status 21 on INFO means that the firmware has no TLS; together with S 1.3 this is \
               how it is detected.",
    details: &[],
    observable: "Start ends with the line of status 21 shown, $8E, and no OPEN_TLS.",
    edges: &[],
    defects: &[],
    source: "errata, item 22",
    mutations: &[],
};

/// v1.3 (coming): alerts that mean no TLS 1.3.
pub(super) const V1_3: Entry = Entry {
    id: "v1.3 (coming)",
    title: "alerts that mean no TLS 1.3",
    level: Level::Should,
    sentence: "When TLS 1.3 is required, status 14 (alert received) during an open means that the \
               server lacks it; the client takes only alerts 40, 70 and 71 so.",
    details: &[],
    observable: "The line is shown, and below it the hint that the server does not do TLS 1.3.",
    edges: &["Alerts 112 and 4 give no hint."],
    defects: &[],
    source: "announced errata v1.3",
    mutations: &[
        Mutation::breaks("alert14-ignored", "never give the hint"),
        Mutation::breaks("any-14-is-no-tls13", "give the hint for every alert"),
    ],
};
