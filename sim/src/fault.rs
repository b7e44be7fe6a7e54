//! Named fault points: what can be made to go wrong, when, in which share of cases, and how often
//! it did.
use std::collections::BTreeMap;

use firmware_core::time::Instant;

use crate::random::{Stream, Streams};
use crate::report::FaultRow;
use crate::scenario::{Fault, FaultPoint};

impl FaultPoint {
    /// Every fault point.
    pub const ALL: [Self; 5] = [
        Self::InboundLoss,
        Self::OutboundLoss,
        Self::StoreWrite,
        Self::AllowListBusy,
        Self::ReceiveMemory,
    ];

    /// The name in scenarios and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InboundLoss => "inbound_loss",
            Self::OutboundLoss => "outbound_loss",
            Self::StoreWrite => "store_write",
            Self::AllowListBusy => "allow_list_busy",
            Self::ReceiveMemory => "receive_memory",
        }
    }
}

/// The faults of one run.
#[derive(Debug)]
pub struct Faults {
    planned: Vec<(Fault, Stream)>,
    counts: BTreeMap<FaultPoint, (u64, u64)>,
}

impl Faults {
    /// The faults of a scenario; each has a stream of its own.
    pub fn new(faults: &[Fault], streams: Streams) -> Self {
        let planned = faults
            .iter()
            .enumerate()
            .map(|(number, fault)| {
                (fault.clone(), streams.of(fault.point.name(), &number.to_string()))
            })
            .collect();
        let counts = faults.iter().map(|fault| (fault.point, (0, 0))).collect();
        Self { planned, counts }
    }

    /// Whether `point` goes wrong now.
    pub fn strikes(&mut self, point: FaultPoint, now: Instant) -> bool {
        let Some((asked, acted)) = self.counts.get_mut(&point) else { return false };
        *asked += 1;
        let strikes = self
            .planned
            .iter_mut()
            .filter(|(fault, _)| fault.point == point && (fault.from..fault.until).contains(&now))
            .any(|(fault, stream)| stream.chance(fault.share));
        *acted += u64::from(strikes);
        strikes
    }

    /// How often each was asked and acted.
    pub fn rows(&self) -> Vec<FaultRow> {
        let row = |(point, (asked, acted)): (&FaultPoint, &(u64, u64))| FaultRow {
            point: point.name(),
            asked: *asked,
            acted: *acted,
        };
        self.counts.iter().map(row).collect()
    }
}
