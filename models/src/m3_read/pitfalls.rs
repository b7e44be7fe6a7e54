//! The pitfalls of the READ path and of the firmware that answers it: P-1 to P-32.
use super::Clause as C;
use crate::clause::Clause::M3Read;
use crate::pitfall::Pitfall;
use crate::pitfall::Standing::{Latent, Repaired, Trap};

/// The pitfalls of the READ path, in the order of their numbers.
pub const PITFALLS: &[Pitfall] = &[
    Pitfall::new(
        "P-1",
        Repaired,
        &[],
        "A delay of 5,474 cycles after every register access, reads included, cost two delays per \
         payload byte: 210.13 s for a page that takes 18.97 s with delays after writes only.",
    ),
    Pitfall::new(
        "P-2",
        Trap,
        &[M3Read(C::S2012)],
        "Asking for 1472 instead of 893 bytes takes the READs of a page from 1,666 to 879 and \
         saves no time, since the round trip follows the engine's step of 960 bytes and not the \
         command.",
    ),
    Pitfall::new(
        "P-3",
        Trap,
        &[],
        "A READ that finds nothing is the dearest, 28.4 ms in all; a budget of 65,536 polls is 31 \
         to 44 min and no bound on time.",
    ),
    Pitfall::new(
        "P-4",
        Repaired,
        &[],
        "With the delay cut short (1,830 cycles fail and 1,845 pass at 48 MHz) a push is lost \
         without any error bit, and an open then comes back as $88.",
    ),
    Pitfall::new(
        "P-5",
        Trap,
        &[],
        "48 MHz are 47.00 times the bus clock less 6.3 to 6.8 % for the display; memory transfers \
         and timers do not speed up at all.",
    ),
    Pitfall::new(
        "P-6",
        Repaired,
        &[M3Read(C::S2012)],
        "A reply of exactly 896 bytes (2 + 894) leaves DATA_AV set for ever and repeats its last \
         byte, so that reading until the bit falls never ends; blocks are 895 at most now.",
    ),
    Pitfall::new(
        "P-7",
        Repaired,
        &[M3Read(C::Er5)],
        "The end of a block was judged from two status samples: a continuation that became valid \
         between them cut replies at 893 bytes, or lost whole ones.",
    ),
    Pitfall::new(
        "P-8",
        Repaired,
        &[M3Read(C::ClientRules)],
        "CMD_BUSY falls before the reply is valid: waiting for it alone finds no data, accepts \
         nothing and has its next push refused.",
    ),
    Pitfall::new(
        "P-9",
        Repaired,
        &[M3Read(C::AppA)],
        "A command written too soon after an abort loses its first bytes to the reset, and a \
         later byte with bit 7 set then asks for no reply.",
    ),
    Pitfall::new(
        "P-10",
        Repaired,
        &[M3Read(C::Er5)],
        "An accept after every byte ends the transfer at the first; no accept at all lets the \
         next push set bit 3 and never run.",
    ),
    Pitfall::new(
        "P-11",
        Repaired,
        &[M3Read(C::Er8)],
        "The status line is gone after the final accept and empty on every block but the last, so \
         that a client that reads it at the wrong time never learns of an error.",
    ),
    Pitfall::new(
        "P-12",
        Latent,
        &[M3Read(C::S1_1Abort)],
        "An abort and an accept seen in one interrupt end in an empty last block with status 03 \
         instead of in the idle state.",
    ),
    Pitfall::new(
        "P-13",
        Repaired,
        &[],
        "In an older core every accept, the final one too, called the firmware, which raced with \
         its own interrupt mask.",
    ),
    Pitfall::new(
        "P-14",
        Latent,
        &[M3Read(C::Er5)],
        "A new block shows while the accept of the one before is still pending; accepting a very \
         short one at once has that accept wiped and hangs in state 01.",
    ),
    Pitfall::new(
        "P-15",
        Repaired,
        &[M3Read(C::S1_5)],
        "Bytes written between push and acceptance are lost, and bytes after the 895th are not \
         counted: a WRITE of 893 sends 892 with a clean status.",
    ),
    Pitfall::new(
        "P-16",
        Repaired,
        &[M3Read(C::Er2)],
        "The error bit outlives a reset of the C64, so that trusting it at startup reports a \
         rejected first command.",
    ),
    Pitfall::new(
        "P-17",
        Repaired,
        &[M3Read(C::Er1N1), M3Read(C::ClientRules)],
        "A continuation that never came was reported as a short block, or one that took 11 s was \
         given up.",
    ),
    Pitfall::new(
        "P-18",
        Repaired,
        &[M3Read(C::Er5)],
        "Any Data More was accepted whatever the first block held: a gap in the stream that looks \
         like data.",
    ),
    Pitfall::new(
        "P-19",
        Repaired,
        &[M3Read(C::Er7)],
        "The header $FFFF of an idle poll was taken for a length of 65,535.",
    ),
    Pitfall::new(
        "P-20",
        Repaired,
        &[M3Read(C::Er12)],
        "Two zeros read from an empty queue were taken for a header of $0000, the end of the \
         stream, and a short body was accepted.",
    ),
    Pitfall::new(
        "P-21",
        Repaired,
        &[M3Read(C::S2012)],
        "A fixed request of 512 bytes overran the ring, whose surplus was dropped: a hole for \
         good, and a framed body that never completes.",
    ),
    Pitfall::new(
        "P-22",
        Latent,
        &[M3Read(C::ClientRules)],
        "A body cut short was reported complete (299,123 of 754,413 bytes); framing decides now, \
         but the viewer is still entered whatever the verdict.",
    ),
    Pitfall::new(
        "P-23",
        Latent,
        &[],
        "A chunk size was kept in 16 bits, where 10000 wraps to the terminal chunk; 24 bits \
         saturate now, but one byte lost from 8000 still ends the body as complete.",
    ),
    Pitfall::new(
        "P-24",
        Repaired,
        &[M3Read(C::Er8)],
        "Status lines were cut at 16 bytes or spliced from two commands.",
    ),
    Pitfall::new(
        "P-25",
        Repaired,
        &[M3Read(C::Er1Clock)],
        "Time bounds hung on a clock that halts after a reset or runs 20 % fast, on loops that \
         shrink 48-fold under turbo, or on a counter too short for 45 s.",
    ),
    Pitfall::new(
        "P-26",
        Repaired,
        &[M3Read(C::Er1), M3Read(C::Er1N1)],
        "Bounds began at the wrong event: 12 s on an open kill a good handshake of 30 s.",
    ),
    Pitfall::new(
        "P-27",
        Repaired,
        &[M3Read(C::Er11)],
        "A command that never returns leaves an abort unserved; the client went on writing.",
    ),
    Pitfall::new(
        "P-28",
        Repaired,
        &[M3Read(C::S1_6M10), M3Read(C::S1_6)],
        "A close after 01, 05 or `: 9` closes somebody else's socket; none after 12, 14, 16 or 17 \
         holds one of only two TLS sessions.",
    ),
    Pitfall::new(
        "P-29",
        Repaired,
        &[M3Read(C::ClientRules)],
        "A rejected CLOSE counted as closed, and the session leaked.",
    ),
    Pitfall::new(
        "P-30",
        Repaired,
        &[M3Read(C::S1_1Open), M3Read(C::S1_7), M3Read(C::S1_8)],
        "Any reply with bytes counted as an open session, so that a refusal with bytes or a reply \
         of 3 or 10 bytes left an unknown one behind.",
    ),
    Pitfall::new(
        "P-31",
        Repaired,
        &[M3Read(C::Er2)],
        "A reset of the C64 leaked its sockets; five opens exhausted them.",
    ),
    Pitfall::new(
        "P-32",
        Latent,
        &[],
        "A change of processor speed, or a start with a quiet expansion memory, can lose the next \
         command, which shows as 12 s, an abort and $89.",
    ),
];
