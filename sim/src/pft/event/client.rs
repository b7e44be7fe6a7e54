//! The kinds of record of the READ client's inputs and outputs, 100 to 129.

macro_rules! client {
    ($next:ident $(, $after:ident)* { $($before:tt)* }) => { $next! { $($after),* { $($before)*

    /// The application asks the READ client for something.
    100 "m3.request" M3Request {
        /// What.
        request: AsRon<Request>,
    }
    /// The client is given the byte of a register.
    101 "m3.byte" M3Byte {
        /// The byte.
        value: u8,
    }
    /// Its write was made.
    102 "m3.written" M3Written {}
    /// It is given the reading of its clock.
    103 "m3.clock" M3Clock {
        /// The reading.
        ticks: u16,
    }
    /// It stores a byte in the ring.
    110 "m3.store" M3Store {
        /// Offset in the ring.
        at: u16,
        /// The byte.
        byte: u8,
    }
    /// It reads a register.
    111 "m3.read" M3Read {
        /// Which.
        register: Register,
    }
    /// It writes a register.
    112 "m3.write" M3Write {
        /// Which.
        register: Register,
        /// What.
        value: u8,
    }
    /// It writes a byte of the caller's buffer to the command register.
    113 "m3.write_source" M3WriteSource {
        /// Offset in the buffer.
        offset: u16,
    }
    /// It reads its clock.
    114 "m3.read_clock" M3ReadClock {}
    /// A request has ended.
    115 "m3.done" M3Done {
        /// How.
        done: AsRon<Done>,
    }
    /// The input answered nothing that was asked.
    116 "m3.unexpected" M3Unexpected {}
    } } };
}
pub(super) use client;
