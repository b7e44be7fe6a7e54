//! The one parameter set of the READ path: each figure with its unit, how it is known and who says
//! so.
//!
//! ```text
//!   measured   a published figure of its own        quoted   said by a source, not measured
//!   derived    arithmetic on measured figures       assumed  believed, and visible as such
//! ```
//!
//! Two figures are fitted to page times: `besides_ms` to a third page, fetched once, and
//! `consume_cycles_per_byte` to the three medians of the large page (one figure for three arms). No
//! page time of the small page went into any: its three arms are predictions.
use crate::cost::Provenance;
use crate::scenario::file::units::Count;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The greatest figure that a parameter may have.
const PARAMETER_MOST: u64 = 50_000_000;

/// Declares the parameters from one list, so that fields, units and sources cannot drift apart.
macro_rules! parameters {
    ($($field:ident $provenance:ident $value:literal $meaning:literal $source:literal,)+) => {
        /// Every figure that the machine, the engine and the consumer are charged by.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Parameters {
            $(#[doc = $meaning] pub $field: u64,)+
        }

        /// Parameters that differ from the published bench's.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename = "Parameters", deny_unknown_fields)]
        pub struct ParametersFile {
            $(
                #[doc = $meaning]
                #[serde(default)]
                pub $field: Option<Count<PARAMETER_MOST>>,
            )+
        }

        impl ParametersFile {
            /// These figures over `base`.
            pub fn over(&self, base: Parameters) -> Parameters {
                Parameters { $($field: self.$field.map_or(base.$field, Count::get),)+ }
            }
        }

        impl Parameters {
            /// The published bench: an Ultimate 64 Elite, NTSC, at the label 48 MHz.
            pub const BENCH: Self = Self { $($field: $value,)+ };

            /// Every parameter as a row, in the order of the path from the C64 to the server.
            pub fn rows(&self) -> Vec<Row> {
                vec![$({
                    let on_bench = self.$field == $value;
                    Row {
                        name: stringify!($field),
                        value: self.$field,
                        provenance: if on_bench {
                            Provenance::$provenance
                        } else {
                            Provenance::Assumed
                        },
                        meaning: $meaning,
                        source: if on_bench { $source } else { "set by the scenario" },
                    }
                },)+]
            }
        }
    };
}

/// One parameter as a report lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name; the unit is part of it.
    pub name: &'static str,
    /// Its value in that unit.
    pub value: u64,
    /// How it is known.
    pub provenance: Provenance,
    /// What it is.
    pub meaning: &'static str,
    /// Who says so.
    pub source: &'static str,
}

parameters! {
    phi2_hz Quoted 1_022_727
        "The bus clock: 1 022 727 Hz on NTSC, 985 248 Hz on PAL."
        "C64",
    turbo_percent Measured 4_700
        "The processor's clock in percent of the bus clock."
        "M3-127: the label 48 MHz gives 47.00 x PHI2",
    bad_lines_ppm Measured 66_900
        "The share of time that the video chip takes from the processor, at any speed."
        "M3-125, M3-126: 6.60 and 6.78 % on this machine; theory says 6.31 %",
    access_cycles Assumed 20
        "Processor cycles of the client's loops for each register access, the access included."
        "no count is published; with turbo it vanishes in the wait for the bus",
    fence_cycles Derived 5_474
        "Processor cycles of a fence."
        "M3-107: the loop's cycle count; quoted as about 5 450",
    nios_us Derived 120
        "From a flag that the C64 raises to the block that answers it, without the engine."
        "M3-184: accept to next block 0.12 to 0.16 ms",
    rpc_us Derived 3_160
        "One call from the Nios to the engine, without the bytes it brings."
        "M3-168 less nios_us: 3.28 ms for a READ of no bytes",
    rpc_ns_per_byte Derived 2_020
        "Each byte that such a call carries."
        "M3-167: (5.22 - 3.41) ms over 960 - 64 B",
    excess_p90_us Derived 530
        "How much later than its median one call in ten is."
        "M3-033 less M3-032: 5.75 - 5.22 ms",
    excess_max_us Derived 4_610
        "How much later than its median the latest call is."
        "M3-041 less M3-039: 8.02 - 3.41 ms; the 23.0 ms of M3-034 are the first READ's",
    prefetch_steps Derived 0
        "Engine steps that the Nios fetches ahead of the READs that will take them."
        "M3-032: every READ pays for its own call",
    idle_wait_us Derived 24_120
        "How long the engine waits for a record before it answers that there is none."
        "M3-046 less M3-168: 27.4 - 3.28 ms",
    record_gap_us Assumed 25_000
        "From the READ that found no record to the next record being complete."
        "between idle_wait_us and the next READ: one idle READ per record (M3-043)",
    think_us Derived 19_000
        "From the request being sent to the first record being complete."
        "M3-034: the first READ waits 23.0 ms, and none is idle (M3-043)",
    open_ms Assumed 1_000
        "Opening the session: connecting and the handshake."
        "not published; it shifts time from besides_ms",
    besides_ms Derived 3_650
        "What the stopwatch saw besides: start and stop, name resolution, the screen."
        "FITTED to M3-022: a third page of 14 181 B took 5 s in arm 2, n = 1",
    consume_cycles_per_byte Derived 287
        "Processor cycles of the HTTP consumer for each byte."
        "FITTED to the large page, the medians of its three arms; M3-176 counts 228 of them",
    sink_ns_per_byte Measured 1_050
        "DMA into the memory expansion for each byte of body; no turbo helps."
        "M3-133: 28.4 s for 27 MB; M3-132 says 0.36 us/B",
}
