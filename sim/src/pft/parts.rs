//! What several kinds of record have in common, and how the list of kinds becomes an enum.
use std::net::Ipv4Addr;

use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::{DiscoKey, NodeKey};
use firmware_core::wg_mgr::peers::HostName;
use firmware_core::wg_mgr::wire::Endpoints;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::choice::Origin;
use super::field::{Broken, Cursor, Field};

/// Several values that belong together, one after the other.
macro_rules! group {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])+ $field:ident: $type:ty,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$field_doc])+ pub $field: $type,)+
        }

        impl $crate::pft::field::Field for $name {
            fn kind() -> String {
                let fields = [$(format!(
                    "{}:{}", stringify!($field), <$type as $crate::pft::field::Field>::kind()
                )),+];
                format!("group({})", fields.join(" "))
            }

            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)+
            }

            fn take(
                from: &mut $crate::pft::field::Cursor<'_>,
            ) -> Result<Self, $crate::pft::field::Broken> {
                Ok(Self { $($field: $crate::pft::field::Field::take(from)?,)+ })
            }

            fn show(&self, out: &mut String) {
                let mut gap = "";
                $(
                    out.push_str(gap);
                    out.push_str(concat!(stringify!($field), "="));
                    self.$field.show(out);
                    gap = " ";
                )+
                let _ = gap;
            }

            fn redact(&mut self, redactor: &mut $crate::pft::redact::Redactor) {
                $(self.$field.redact(redactor);)+
            }
        }
    };
}
group! {
    /// What is known of a packet before anything in it is read.
    Arrival {
        /// Its number in the trace, by which an input names it.
        packet: u64,
        /// The way it came.
        way: Via,
        /// Whose it is.
        origin: Origin,
    }
}

group! {
    /// What the control plane says of a peer.
    Peer {
        /// Its address in the tailnet.
        address: Ipv4Addr,
        /// Who it is.
        node: NodeKey,
        /// Its DISCO key.
        disco: DiscoKey,
        /// Its home relay region; 0 says nothing.
        region: u16,
        /// Where it may be reached.
        endpoints: Endpoints,
        /// The beginning of its name.
        name: HostName,
        /// Whether the application wants it even in a full table.
        wanted: bool,
    }
}

group! {
    /// News about a peer; what is none, 0 or empty has not changed.
    Patch {
        /// Who it is.
        node: NodeKey,
        /// Its new DISCO key.
        disco: Option<DiscoKey>,
        /// Its new home relay region.
        region: u16,
        /// Its new endpoints.
        endpoints: Endpoints,
    }
}

/// A value of the READ path's core, as RON text: its enums are deep and its requests rare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsRon<T>(pub T);

impl<T: Serialize + DeserializeOwned> Field for AsRon<T> {
    fn kind() -> String {
        "text".to_owned()
    }

    fn put(&self, out: &mut Vec<u8>) {
        self.text().put(out);
    }

    fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
        let text = String::take(from)?;
        ron::from_str(&text).map(Self).map_err(|_| Broken::value(text, "request or result"))
    }

    fn show(&self, out: &mut String) {
        out.push_str(&self.text());
    }
}

impl<T: Serialize> AsRon<T> {
    fn text(&self) -> String {
        ron::to_string(&self.0).expect("the core's enums have a text form")
    }
}

/// Makes the enum of records, their codec, text form, redaction and schema from one list.
macro_rules! events {
    ({ $($(#[$doc:meta])+ $number:literal $word:literal $variant:ident {
        $($(#[$field_doc:meta])+ $field:ident: $type:ty,)*
    })+ }) => {
        /// What a record says.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Event {
            $($(#[$doc])+ $variant { $($(#[$field_doc])+ $field: $type,)* },)+
        }

        impl Event {
            /// The number of its kind in files.
            pub const fn number(&self) -> u64 {
                match self { $(Self::$variant { .. } => $number,)+ }
            }

            /// The name of its kind.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $word,)+ }
            }

            /// Appends its fields.
            pub fn put(&self, out: &mut Vec<u8>) {
                match self { $(Self::$variant { $($field,)* } => { $($field.put(out);)* })+ }
            }

            /// Reads the fields of a record of this kind; `None` when the kind is not known, as one
            /// of a later version.
            ///
            /// # Errors
            /// [`Broken`] when the bytes are no such record.
            pub fn take(number: u64, bytes: &[u8]) -> Result<Option<Self>, Broken> {
                let mut cursor = Cursor::new(bytes);
                let from = &mut cursor;
                let event = match number {
                    $($number => Self::$variant { $($field: <$type as Field>::take(from)?,)* },)+
                    _ => return Ok(None),
                };
                match cursor.rest().len() {
                    0 => Ok(Some(event)),
                    left => Err(Broken::Left(left)),
                }
            }

            /// Appends the fields as people read them.
            pub fn show(&self, out: &mut String) {
                match self { $(Self::$variant { $($field,)* } => {
                    let _ = &out;
                    $(
                        out.push_str(concat!(" ", stringify!($field), "="));
                        $field.show(out);
                    )*
                })+ }
            }

            /// Replaces whatever says who or where somebody is.
            pub fn redact(&mut self, redactor: &mut Redactor) {
                match self { $(Self::$variant { $($field,)* } => {
                    let _ = &redactor;
                    $(<$type as Field>::redact($field, redactor);)*
                })+ }
            }

            /// Every kind as `number name field:type …`, one a line: the schema that files carry.
            pub fn schema() -> String {
                let mut text = String::new();
                let out = &mut text;
                $(
                    show!(out, "{} {}", $number, $word);
                    $(show!(out, " {}:{}", stringify!($field), <$type as Field>::kind());)*
                    out.push('\n');
                )+
                text
            }
        }
    };
}
pub(crate) use events;
