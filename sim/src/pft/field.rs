//! How the fields of a record are written, read, shown and made anonymous: one trait, implemented
//! once for each kind of value.
//!
//! ```text
//!   uint      LEB128: seven bits a byte, lowest first, the high bit says that more follows
//!   int       zigzag, then as uint           bool     0 or 1
//!   span      uint, nanoseconds              time     uint, nanoseconds since switching on
//!   text      length as uint, then UTF-8     bytes    length as uint, then the bytes
//!   address   4 bytes, network order         endpoint address, then the port, big-endian
//!   key       32 bytes                       way      0 endpoint, or 1 key: over UDP or a relay
//!   optional  0, or 1 and the value          list     count as uint, then the values
//!   choice    uint, one of the numbers that the schema names
//! ```
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::{DiscoKey, NodeKey};
use firmware_core::wg_mgr::peers::{HostName, PeerIndex};
use firmware_core::wg_mgr::wire::{CALL_ME_MAYBE_ENTRIES_MAX, Endpoints};

use super::redact::Redactor;

/// Why the bytes of a record are none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// The record ends within a field.
    #[error("it ends within a {0}")]
    Short(&'static str),
    /// Bytes are left behind the last field.
    #[error("{0} bytes are left behind its last field")]
    Left(usize),
    /// A value that the field cannot have.
    #[error("{value} is no {field}")]
    Value {
        /// What was found.
        value: String,
        /// What the field holds.
        field: &'static str,
    },
}

impl Broken {
    /// A value that a field cannot have.
    pub fn value(value: impl ToString, field: &'static str) -> Self {
        Self::Value { value: value.to_string(), field }
    }
}

/// The bytes of a record that have not been read yet.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// The fields of a record.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What is left.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// [`Broken::Short`] with `what` was being read.
    pub fn bytes(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], Broken> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Broken::Short(what))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Broken> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(Broken::Short(what))?;
        self.rest = rest;
        Ok(*taken)
    }

    /// The next unsigned number.
    ///
    /// # Errors
    /// When it does not end, or does not fit 64 bits.
    pub fn uint(&mut self) -> Result<u64, Broken> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array("uint")?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Broken::value("a number of more than 64 bits", "uint"))
    }

    fn length(&mut self, what: &'static str) -> Result<usize, Broken> {
        let length = usize::try_from(self.uint()?).map_err(|_| Broken::Short(what))?;
        // Each element has a byte at least, so a length beyond what is left is a lie.
        if length > self.rest.len() { Err(Broken::Short(what)) } else { Ok(length) }
    }
}

/// Appends an unsigned number.
pub fn put_uint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// A value that a record can hold.
pub trait Field: Sized {
    /// What the schema calls it.
    fn kind() -> String;
    /// Appends it.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it.
    ///
    /// # Errors
    /// [`Broken`] when the bytes hold no such value.
    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken>;
    /// Appends it as people read it.
    fn show(&self, out: &mut String);
    /// Replaces what says who or where somebody is.
    fn redact(&mut self, _redactor: &mut Redactor) {}
}

/// Appends to a text, which cannot fail.
macro_rules! show {
    ($out:expr, $($format:tt)+) => {
        std::fmt::Write::write_fmt(&mut *$out, format_args!($($format)+))
            .expect("a string takes whatever is written to it")
    };
}
pub(crate) use show;

macro_rules! unsigned {
    ($($type:ty)+) => {$(
        impl Field for $type {
            fn kind() -> String {
                "uint".to_owned()
            }

            fn put(&self, out: &mut Vec<u8>) {
                put_uint(out, u64::from(*self));
            }

            fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
                let number = from.uint()?;
                Self::try_from(number)
                    .map_err(|_| Broken::value(number, concat!("value of a ", stringify!($type))))
            }

            fn show(&self, out: &mut String) {
                show!(out, "{self}");
            }
        }
    )+};
}

unsigned!(u8 u16 u32 u64);

impl Field for i64 {
    fn kind() -> String {
        "int".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_uint(out, ((self << 1) ^ (self >> 63)).cast_unsigned());
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        let number = from.uint()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    fn show(&self, out: &mut String) {
        show!(out, "{self}");
    }
}

impl Field for bool {
    fn kind() -> String {
        "bool".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        match from.array("bool")? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(Broken::value(other, "bool")),
        }
    }

    fn show(&self, out: &mut String) {
        show!(out, "{self}");
    }
}

impl Field for Duration {
    fn kind() -> String {
        "span".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_uint(out, self.as_nanos());
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        from.uint().map(Self::from_nanos)
    }

    fn show(&self, out: &mut String) {
        out.push_str(&millis(self.as_nanos()));
    }
}

impl Field for Instant {
    fn kind() -> String {
        "time".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_uint(out, self.as_nanos());
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        from.uint().map(Self::from_nanos)
    }

    fn show(&self, out: &mut String) {
        if *self == Self::NEVER {
            out.push_str("never");
        } else {
            out.push_str(&millis(self.as_nanos()));
        }
    }
}

/// Milliseconds with as many places as say something: `28.305ms`, `10ms`.
pub fn millis(nanos: u64) -> String {
    let text = format!("{}.{:06}", nanos / 1_000_000, nanos % 1_000_000);
    format!("{}ms", text.trim_end_matches('0').trim_end_matches('.'))
}

impl Field for String {
    fn kind() -> String {
        "text".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_uint(out, self.len() as u64);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        let length = from.length("text")?;
        let bytes = from.bytes(length, "text")?;
        Self::from_utf8(bytes.to_vec()).map_err(|_| Broken::value("what is not UTF-8", "text"))
    }

    fn show(&self, out: &mut String) {
        show!(out, "{self:?}");
    }

    fn redact(&mut self, redactor: &mut Redactor) {
        *self = redactor.text(self);
    }
}

/// Bytes whose meaning the record's kind says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Octets(pub Vec<u8>);

impl Field for Octets {
    fn kind() -> String {
        "bytes".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_uint(out, self.0.len() as u64);
        out.extend_from_slice(&self.0);
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        let length = from.length("bytes")?;
        from.bytes(length, "bytes").map(|bytes| Self(bytes.to_vec()))
    }

    fn show(&self, out: &mut String) {
        for byte in self.0.iter().take(16) {
            show!(out, "{byte:02x}");
        }
        if self.0.len() > 16 {
            show!(out, "… {} bytes", self.0.len());
        }
    }

    fn redact(&mut self, redactor: &mut Redactor) {
        redactor.packet(&mut self.0);
    }
}

impl Field for Ipv4Addr {
    fn kind() -> String {
        "address".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.octets());
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        from.array::<4>("address").map(Self::from)
    }

    fn show(&self, out: &mut String) {
        show!(out, "{self}");
    }

    fn redact(&mut self, redactor: &mut Redactor) {
        *self = redactor.address(*self);
    }
}

impl Field for SocketAddrV4 {
    fn kind() -> String {
        "endpoint".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.ip().octets());
        out.extend_from_slice(&self.port().to_be_bytes());
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        let [a, b, c, d, high, low] = from.array("endpoint")?;
        Ok(Self::new([a, b, c, d].into(), u16::from_be_bytes([high, low])))
    }

    fn show(&self, out: &mut String) {
        show!(out, "{self}");
    }

    fn redact(&mut self, redactor: &mut Redactor) {
        self.set_ip(redactor.address(*self.ip()));
    }
}

macro_rules! key {
    ($($type:ident)+) => {$(
        impl Field for $type {
            fn kind() -> String {
                "key".to_owned()
            }

            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.0);
            }

            fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
                from.array("key").map(Self)
            }

            fn show(&self, out: &mut String) {
                show!(out, "{self:?}");
            }

            fn redact(&mut self, redactor: &mut Redactor) {
                self.0 = redactor.key(self.0);
            }
        }
    )+};
}

key!(DiscoKey NodeKey);

impl Field for Via {
    fn kind() -> String {
        "way".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Direct(endpoint) => {
                out.push(0);
                endpoint.put(out);
            }
            Self::Derp(node) => {
                out.push(1);
                node.put(out);
            }
        }
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        match from.array("way")? {
            [0] => Field::take(from).map(Self::Direct),
            [1] => Field::take(from).map(Self::Derp),
            [other] => Err(Broken::value(other, "way")),
        }
    }

    fn show(&self, out: &mut String) {
        match self {
            Self::Direct(endpoint) => show!(out, "{endpoint}"),
            Self::Derp(node) => show!(out, "relay {node:?}"),
        }
    }

    fn redact(&mut self, redactor: &mut Redactor) {
        match self {
            Self::Direct(endpoint) => endpoint.redact(redactor),
            Self::Derp(node) => node.redact(redactor),
        }
    }
}

impl Field for PeerIndex {
    fn kind() -> String {
        u16::kind()
    }

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        u16::take(from).map(Self)
    }

    fn show(&self, out: &mut String) {
        self.0.show(out);
    }
}

impl Field for HostName {
    fn kind() -> String {
        "bytes".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        let kept = self.as_bytes().iter().take_while(|byte| **byte != 0).count();
        put_uint(out, kept as u64);
        out.extend_from_slice(&self.as_bytes()[..kept]);
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        Octets::take(from).map(|bytes| Self::from_bytes(&bytes.0))
    }

    fn show(&self, out: &mut String) {
        let kept = self.as_bytes().iter().take_while(|byte| **byte != 0);
        out.extend(kept.map(|byte| char::from(*byte)).map(|it| if it == '\0' { '.' } else { it }));
    }

    fn redact(&mut self, redactor: &mut Redactor) {
        *self = redactor.name(*self);
    }
}

impl Field for Endpoints {
    fn kind() -> String {
        Vec::<SocketAddrV4>::kind()
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_list(out, self);
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        let all = Vec::<SocketAddrV4>::take(from)?;
        if all.len() > CALL_ME_MAYBE_ENTRIES_MAX {
            return Err(Broken::value(all.len(), "count of endpoints"));
        }
        Ok(all.into_iter().collect())
    }

    fn show(&self, out: &mut String) {
        show_list(out, self);
    }

    fn redact(&mut self, redactor: &mut Redactor) {
        for endpoint in self.iter_mut() {
            endpoint.redact(redactor);
        }
    }
}

fn put_list<T: Field>(out: &mut Vec<u8>, list: &[T]) {
    put_uint(out, list.len() as u64);
    for element in list {
        element.put(out);
    }
}

fn show_list<T: Field>(out: &mut String, list: &[T]) {
    out.push('[');
    for (index, element) in list.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        element.show(out);
    }
    out.push(']');
}

impl<T: Field> Field for Vec<T> {
    fn kind() -> String {
        format!("list({})", T::kind())
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_list(out, self);
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        let count = from.length("list")?;
        (0..count).map(|_| T::take(from)).collect()
    }

    fn show(&self, out: &mut String) {
        show_list(out, self);
    }

    fn redact(&mut self, redactor: &mut Redactor) {
        for element in self.iter_mut() {
            element.redact(redactor);
        }
    }
}

impl<T: Field> Field for Option<T> {
    fn kind() -> String {
        format!("optional({})", T::kind())
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_some()));
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        if bool::take(from)? { T::take(from).map(Some) } else { Ok(None) }
    }

    fn show(&self, out: &mut String) {
        match self {
            Some(value) => value.show(out),
            None => out.push_str("none"),
        }
    }

    fn redact(&mut self, redactor: &mut Redactor) {
        if let Some(value) = self {
            value.redact(redactor);
        }
    }
}
