//! The five registers of the READ path as waveforms, for tools that look at buses.
//!
//! ```text
//!   uci.DF1C_read   ──╳ 10 ╳──╳ A0 ╳──      the byte that a read gave, from when it was given
//!   uci.DF1C_write  ╳ 01 ╳────────────      the byte that a write put
//!   uci.access      ╳ 1 ╳ 2 ╳ 1 ╳──         how many accesses there were, so that equal bytes show
//! ```
//!
//! A read is drawn when its byte arrives: the address stands on the bus before, the value does not.
use std::io::{self, Write};

use firmware_core::m3_read::registers::Register;
use firmware_core::time::Instant;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value};

use super::Exporter;
use crate::pft::reader::Gap;
use crate::pft::{Event, Record};

/// Bits of the count of accesses.
const COUNT_BITS: u32 = 32;

/// Waveforms being written.
pub(super) struct Waveform<W: Write> {
    out: vcd::Writer<W>,
    /// For each register, by ascending address: reads and writes.
    wires: Vec<(IdCode, IdCode)>,
    count: IdCode,
    accesses: u64,
    asked: Option<Register>,
    at: Option<Instant>,
}

impl<W: Write> Waveform<W> {
    pub(super) fn new(out: W) -> io::Result<Self> {
        let mut out = vcd::Writer::new(out);
        out.timescale(1, TimescaleUnit::NS)?;
        out.add_module("uci")?;
        let mut wires = Vec::new();
        for register in Register::ALL {
            let address = register.address();
            let read = out.add_wire(8, &format!("{address:04X}_read"))?;
            wires.push((read, out.add_wire(8, &format!("{address:04X}_write"))?));
        }
        let count = out.add_wire(COUNT_BITS, "access")?;
        out.upscope()?;
        out.enddefinitions()?;
        out.begin(SimulationCommand::Dumpvars)?;
        for (read, write) in &wires {
            out.change_vector(*read, [Value::X; 8])?;
            out.change_vector(*write, [Value::X; 8])?;
        }
        out.change_vector(count, bits(0, COUNT_BITS))?;
        out.end()?;
        Ok(Self { out, wires, count, accesses: 0, asked: None, at: None })
    }

    /// An access; a byte of the caller's buffer is not in the trace and drawn as unknown.
    fn access(&mut self, at: Instant, wire: IdCode, byte: Option<u8>) -> io::Result<()> {
        if self.at != Some(at) {
            self.out.timestamp(at.as_nanos())?;
            self.at = Some(at);
        }
        self.accesses += 1;
        match byte {
            Some(byte) => self.out.change_vector(wire, bits(byte.into(), 8))?,
            None => self.out.change_vector(wire, [Value::X; 8])?,
        }
        self.out.change_vector(self.count, bits(self.accesses, COUNT_BITS))
    }

    fn wires(&self, register: Register) -> (IdCode, IdCode) {
        let at = Register::ALL.iter().position(|known| *known == register);
        self.wires[at.expect("every register is in the list of all")]
    }
}

/// A number as bits, the highest first.
fn bits(number: u64, count: u32) -> impl Iterator<Item = Value> {
    (0..count).rev().map(move |bit| Value::from(number >> bit & 1 == 1))
}

impl<W: Write> Exporter for Waveform<W> {
    fn record(&mut self, record: &Record) -> io::Result<bool> {
        match record.event {
            Event::M3Read { register } => {
                self.asked = Some(register);
                Ok(true)
            }
            Event::M3Byte { value } => {
                let Some(register) = self.asked.take() else { return Ok(false) };
                let (read, _) = self.wires(register);
                self.access(record.at, read, Some(value))?;
                Ok(true)
            }
            Event::M3Write { register, value } => {
                let (_, write) = self.wires(register);
                self.access(record.at, write, Some(value))?;
                Ok(true)
            }
            Event::M3WriteSource { .. } => {
                let (_, write) = self.wires(Register::Command);
                self.access(record.at, write, None)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn gap(&mut self, gap: &Gap) -> io::Result<()> {
        self.asked = None;
        self.out.comment(&format!("records are missing at {} ns", gap.at.as_nanos()))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
