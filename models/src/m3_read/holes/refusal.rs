//! Replies without a count: every beginning, with every status line that the interface is known to
//! send and a few it is not, once as a last block and once announcing more, in time and late.
//!
//! ```text
//!   6 beginnings × 25 lines × 2 tails × 2 arrivals = 600 replies
//! ```
use super::expected::Expected;
use super::grammar::{Arrival, Sent, Tail};
use firmware_core::m3_read::copy::Hole;
use firmware_core::m3_read::output::{Death, Ending, PollOutcome};

/// What the reply begins with, and ends with too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Beginning {
    /// No byte at all.
    Nothing,
    /// One byte.
    HalfHeader,
    /// $FFFF.
    NoCount,
    /// $FFFF and a byte behind it.
    NoCountAndByte,
    /// $0000.
    End,
    /// $0000 and a byte behind it.
    EndAndByte,
}

impl Beginning {
    /// Every beginning.
    pub const ALL: [Self; 6] = [
        Self::Nothing,
        Self::HalfHeader,
        Self::NoCount,
        Self::NoCountAndByte,
        Self::End,
        Self::EndAndByte,
    ];

    fn bytes(self) -> &'static [u8] {
        match self {
            Self::Nothing => &[],
            Self::HalfHeader => &[0x0A],
            Self::NoCount => &[0xFF, 0xFF],
            Self::NoCountAndByte => &[0xFF, 0xFF, 0x55],
            Self::End => &[0, 0],
            Self::EndAndByte => &[0, 0, 0x55],
        }
    }
}

/// Every status line there is, and some that only look like one.
pub const LINES: [&str; 25] = [
    "00,OK",
    "01,CONNECTION CLOSED BY HOST",
    "02,NO DATA: 11",
    "02,NO DATA: 9",
    "03,MORE DATA NOT SUPPORTED",
    "04,DATAGRAM TRUNCATED: 1500",
    "05,TLS CLOSED WITHOUT NOTIFY",
    "11,ERROR ON CONNECT: 111",
    "12,SEND ERROR: 104",
    "14,TLS ALERT RECEIVED: 40",
    "16,SESSION FAILED",
    "17,SESSION FAILED",
    "21,UNKNOWN COMMAND",
    "81,INVALID PARAMS",
    "82,PARAMETER(S) OUT OF RANGE",
    "83,INTERFACE NOT AVAILABLE",
    "84,UNRESOLVED HOST",
    "85,ERROR OPENING SOCKET",
    "86,INTERNAL ERROR",
    "94,CERTIFICATE NAME MISMATCH: 0x00000004",
    "02,NO DATA: 12",
    "02,NO DATA: 11 ",
    "12,NO DATA: 11",
    "0",
    "",
];

/// One reply without a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Refusal {
    /// What it begins with.
    pub beginning: Beginning,
    /// Its status line.
    pub line: &'static str,
    /// How its block is marked.
    pub tail: Tail,
    /// Whether it is late; within the bound.
    pub late: bool,
}

/// Every reply without a count, each exactly once.
pub fn refusals() -> Vec<Refusal> {
    let mut all = Vec::new();
    for beginning in Beginning::ALL {
        for line in LINES {
            for tail in Tail::ALL {
                all.extend([false, true].map(|late| Refusal { beginning, line, tail, late }));
            }
        }
    }
    all
}

impl Refusal {
    /// The block that goes over the bus.
    pub fn sent(&self) -> Sent {
        Sent {
            data: self.beginning.bytes().to_vec(),
            more: self.tail == Tail::More,
            arrival: if self.late { Arrival::Late } else { Arrival::OnTime },
            reset_after: None,
        }
    }

    /// What must come of it.
    pub fn expected(&self) -> Expected {
        let more = self.tail == Tail::More;
        let outcome = match self.beginning {
            Beginning::NoCountAndByte | Beginning::EndAndByte => {
                PollOutcome::Hole(Hole::BytesPastHeader)
            }
            _ if more => PollOutcome::Hole(Hole::UnowedMore),
            Beginning::Nothing => PollOutcome::DeadOwned(Death::NoHeader),
            Beginning::HalfHeader => PollOutcome::DeadOwned(Death::HalfHeader),
            Beginning::NoCount if self.line == "02,NO DATA: 11" => PollOutcome::Idle,
            Beginning::NoCount => PollOutcome::NotOurs,
            Beginning::End => match self.line.get(..2) {
                Some("01") => PollOutcome::Gone(Ending::Clean),
                Some("05") => PollOutcome::Gone(Ending::WithoutNotify),
                _ => PollOutcome::DeadOwned(Death::StickyEnd),
            },
        };
        let no_count = matches!(self.beginning, Beginning::NoCount | Beginning::NoCountAndByte);
        let owned = match outcome {
            PollOutcome::Idle => true,
            PollOutcome::Gone(_) => false,
            _ => !no_count,
        };
        Expected { outcome, ring: Vec::new(), accepts_on_more: 0, aborts: usize::from(more), owned }
    }
}
