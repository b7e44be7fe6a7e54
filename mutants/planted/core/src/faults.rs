//! The faults: each is one expression of a core's source, and what stands there while it is planted. `{on}` becomes the question whether it is.

/// A fault of one line.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Its name; that of the published mutant where there is one.
    pub name: &'static str,
    /// The clause that it breaks.
    pub clause: &'static str,
    /// The file, from `firmware-core/src`.
    pub file: &'static str,
    /// What stands there; exactly once in the file.
    pub from: &'static str,
    /// What stands there in the copy.
    pub to: &'static str,
}

const fn fault(
    name: &'static str,
    clause: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
) -> Fault {
    Fault { name, clause, file, from, to }
}

const COPY: &str = "m3_read/copy.rs";
const POLL: &str = "m3_read/operation/poll.rs";
const CLOSE: &str = "m3_read/operation/close.rs";
const EXCHANGE: &str = "m3_read/exchange/mod.rs";
const REPLY: &str = "m3_read/exchange/reply.rs";

const DISCO: &str = "wg_mgr/disco.rs";

/// Every fault: those of the READ client, then those of the manager.
pub const FAULTS: &[Fault] = &[
    fault(
        "accept-data-more",
        "ER-5",
        REPLY,
        "                self.holed(Hole::UnowedMore, config)
            }
            Test::MoreLeft =>",
        "                if {on} {
                    return Move::Access(self.strobe(Strobe::Accept, Strobing::AcceptLast));
                }
                self.holed(Hole::UnowedMore, config)
            }
            Test::MoreLeft =>",
    ),
    fault(
        "more-never-taken",
        "S:2012-2013",
        COPY,
        "Blocks::Two if self.hole.is_none() => {",
        "Blocks::Two if {on} => Hole::MoreNotTaken,
                Blocks::Two if self.hole.is_none() => {",
    ),
    fault(
        "more-after-short-block",
        "ER-5",
        COPY,
        "(false, true) if self.copied != config.first_block_bytes =>",
        "(false, true) if !{on} && self.copied != config.first_block_bytes =>",
    ),
    fault(
        "more-no-wait",
        "ER-1 N-1",
        EXCHANGE,
        "Strobing::AcceptBlock => self.start_wait(On::Continuation, config),",
        "Strobing::AcceptBlock if {on} => return self.sample(Test::Payload),
            Strobing::AcceptBlock => self.start_wait(On::Continuation, config),",
    ),
    fault(
        "more-bound-short",
        "ER-1 N-1",
        EXCHANGE,
        "(On::Idle | On::Continuation | On::AbortServed(_), _, _) => length,",
        "(On::Continuation, _, Some(pushed_at)) if {on} => {
                length.saturating_sub(pushed_at.wrapping_sub(now))
            }
            (On::Idle | On::Continuation | On::AbortServed(_), _, _) => length,",
    ),
    fault(
        "more-lost-not-89",
        "client rules",
        POLL,
        "PollOutcome::TimedOut(_) | PollOutcome::Wedged => ErrorCode::WaitTimeout,",
        "PollOutcome::TimedOut(Missing::Continuation) if {on} => ErrorCode::ShortRead,
            PollOutcome::TimedOut(_) | PollOutcome::Wedged => ErrorCode::WaitTimeout,",
    ),
    fault(
        "request-893",
        "S:2012-2013",
        POLL,
        "match self.ring.free().min(self.config.request_max) {",
        "match self.ring.free().min(
                    if {on} { self.config.first_block_bytes } else { self.config.request_max },
                ) {",
    ),
    fault(
        "close-after-gone",
        "S 1.6 M10",
        POLL,
        "                self.ownership = Ownership::Nothing;
                self.connection = Connection::Closed;
                return;",
        "                if !{on} { self.ownership = Ownership::Nothing; }
                self.connection = Connection::Closed;
                return;",
    ),
    fault(
        "sticky-as-gone",
        "S 1.6",
        POLL,
        "_ => PollOutcome::DeadOwned(Death::StickyEnd),",
        "_ if {on} => PollOutcome::Gone(Ending::Clean),
                    _ => PollOutcome::DeadOwned(Death::StickyEnd),",
    ),
    fault(
        "ffff-9-as-idle",
        "ER-7",
        POLL,
        "Header::NoCount if self.line.is_idle() => PollOutcome::Idle,",
        "Header::NoCount if {on} || self.line.is_idle() => PollOutcome::Idle,",
    ),
    fault(
        "empty-reply-as-eof",
        "ER-12",
        POLL,
        "Header::Absent => PollOutcome::DeadOwned(Death::NoHeader),",
        "Header::Absent if {on} => PollOutcome::Gone(Ending::Clean),
                Header::Absent => PollOutcome::DeadOwned(Death::NoHeader),",
    ),
    fault(
        "aborted-read-kept",
        "S 1.1 M-2",
        POLL,
        "        self.connection = Connection::Error;
        self.last_error = broken;",
        "        if !({on} && matches!(outcome, PollOutcome::TimedOut(_))) {
            self.connection = Connection::Error;
        }
        self.last_error = broken;",
    ),
    fault(
        "05-as-owned",
        "S 1.6",
        POLL,
        "5 => PollOutcome::Gone(Ending::WithoutNotify),",
        "5 if !{on} => PollOutcome::Gone(Ending::WithoutNotify),",
    ),
    fault(
        "bad-gate-removed",
        "ER-5",
        POLL,
        "(Ended::Aborted(_) | Ended::Replied, Some(hole)) => PollOutcome::Hole(hole),",
        "(Ended::Replied, Some(_)) if {on} => PollOutcome::Data(transfer.copied()),
            (Ended::Aborted(_) | Ended::Replied, Some(hole)) => PollOutcome::Hole(hole),",
    ),
    fault(
        "rejected-as-reply",
        "client rules",
        REPLY,
        "if self.seen.error() {",
        "if self.seen.error() && !{on} {",
    ),
    fault(
        "idle-11-unchecked",
        "ER-7",
        "m3_read/status_line.rs",
        "usize::from(self.read) == IDLE_LINE.len() && self.text() == IDLE_LINE",
        "usize::from(self.read) == IDLE_LINE.len()
            && (self.text() == IDLE_LINE || ({on} && self.code() == 2))",
    ),
    fault(
        "wedge-not-latched",
        "ER-11",
        "m3_read/operation/mod.rs",
        "self.wedged = true;",
        "self.wedged = !{on};",
    ),
    fault(
        "post-abort-from-abort-only",
        "ER-1",
        EXCHANGE,
        "length.max(left)",
        "if {on} { length } else { length.max(left) }",
    ),
    fault(
        "abort-with-push",
        "App. A",
        EXCHANGE,
        "Access::Write { register: Register::Control, value: strobe.bits() }",
        "Access::Write {
            register: Register::Control,
            value: if {on} && strobe == Strobe::Push { 5 } else { strobe.bits() },
        }",
    ),
    fault(
        "dead-read-no-code",
        "client rules",
        POLL,
        "                ErrorCode::StreamLost
",
        "                if {on} { ErrorCode::Ok } else { ErrorCode::StreamLost }
",
    ),
    fault(
        "short-not-8f",
        "client rules",
        COPY,
        "| Self::SecondMore => ErrorCode::ShortRead,",
        "| Self::SecondMore => if {on} { ErrorCode::BadReadHeader } else { ErrorCode::ShortRead },",
    ),
    fault(
        "header-over-request-taken",
        "ER-5",
        COPY,
        "if count > self.request {",
        "if count > self.request && !{on} {",
    ),
    fault(
        "tail-dropped-in-silence",
        "ER-5",
        REPLY,
        "if self.is_read() && self.drained > 0 {",
        "if self.is_read() && self.drained > 0 && !{on} {",
    ),
    fault(
        "accept-before-status",
        "ER-7",
        REPLY,
        "if self.seen.text_available() && self.line.takes_more() {",
        "if self.seen.text_available() && self.line.takes_more() && !{on} {",
    ),
    fault(
        "every-second-place",
        "S:2012-2013",
        "m3_read/ring.rs",
        "self.tail = (self.tail + 1) & MASK;",
        "self.tail = (self.tail + if {on} { 2 } else { 1 }) & MASK;",
    ),
    fault(
        "last-byte-left",
        "S:2012-2013",
        REPLY,
        "let next = if self.transfer.owed() > 0 { Test::Payload } else { Test::Drain };",
        "let left = u16::from({on});
                let next = if self.transfer.owed() > left { Test::Payload } else { Test::Drain };",
    ),
    fault(
        "close-no-retry",
        "client rules",
        CLOSE,
        "(Ended::Rejected, Ownership::Owned(handle)) if !pushed_again => {",
        "(Ended::Rejected, Ownership::Owned(handle)) if !pushed_again && !{on} => {",
    ),
    fault(
        "aborted-close-kept",
        "S 1.1 others",
        CLOSE,
        "                self.ownership = Ownership::Nothing;
                self.connection = Connection::Closed;
            }
            CloseOutcome::Rejected",
        "                if !({on} && outcome == CloseOutcome::Aborted) {
                    self.ownership = Ownership::Nothing;
                }
                self.connection = Connection::Closed;
            }
            CloseOutcome::Rejected",
    ),
    fault(
        "wait-without-end",
        "ER-1",
        EXCHANGE,
        "Elapsed::Expired => false,",
        "Elapsed::Expired if {on} => return Move::Access(self.poll(on, wait)),
            Elapsed::Expired => false,",
    ),
    fault(
        "wait-a-unit-short",
        "ER-1",
        "m3_read/deadline.rs",
        "if elapsed >= self.length {",
        "if elapsed.saturating_add(if {on} { 1 } else { 0 }) >= self.length {",
    ),
    fault(
        "wait-four-units-long",
        "ER-1",
        EXCHANGE,
        "self.poll(on, Wait::from(now, length))",
        "self.poll(on, Wait::from(now, length + if {on} { 4 } else { 0 }))",
    ),
    fault(
        "length-high-byte-first",
        "S:2012-2013",
        "m3_read/command.rs",
        "(Self::Read { length, .. }, 3) => length.to_le_bytes()[0],",
        "(Self::Read { length, .. }, 3) => length.to_le_bytes()[if {on} { 1 } else { 0 }],",
    ),
    fault(
        "handle-off-by-one",
        "ER-9",
        "m3_read/command.rs",
        "                2,
            ) => handle,",
        "                2,
            ) => if {on} { handle ^ 1 } else { handle },",
    ),
    fault(
        "known-key-no-drain",
        "WG-DISCO-1",
        DISCO,
        "&& (known.is_none() || self.config.rules.known_key_drain.is_strict());",
        "&& (known.is_none() || (self.config.rules.known_key_drain.is_strict() && !{on}));",
    ),
    fault(
        "drain-never-between-opens",
        "WG-Q2",
        DISCO,
        "let drain = self.config.interleave\n",
        "let drain = !{on} && self.config.interleave\n",
    ),
    fault(
        "echo-answered",
        "WG-CMM-2",
        DISCO,
        "if !self.config.rules.call_me_maybe_echo.is_strict() {",
        "if {on} || !self.config.rules.call_me_maybe_echo.is_strict() {",
    ),
    fault(
        "pong-of-any-owner",
        "WG-REM-1",
        DISCO,
        "slot.active && slot.generation == probe.generation",
        "slot.active && ({on} || slot.generation == probe.generation)",
    ),
    fault(
        "generation-kept",
        "WG-REM-1",
        "wg_mgr/peers.rs",
        "slot.generation.wrapping_add(1).max(1);",
        "slot.generation.wrapping_add(if {on} { 0 } else { 1 }).max(1);",
    ),
];

/// Changes that a closed system may not tell from the original; a test explores both together.
pub const HARMLESS: &[Fault] = &[fault(
    "no-second-continuation-guard",
    "ER-5",
    COPY,
    "                    self.continued = true;
                    return",
    "                    self.continued = !{on};
                    return",
)];

/// Every change, in the order of its number.
pub fn all() -> impl Iterator<Item = &'static Fault> {
    FAULTS.iter().chain(HARMLESS)
}
