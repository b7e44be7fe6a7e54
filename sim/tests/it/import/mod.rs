//! Imports of every format: the public cases of malformed files, and what a good file gives.
mod captures;
mod chrome;
mod logs;
mod tables;

use std::io::{self, Cursor};

use firmware_core::time::{Duration, Instant};
use sim::trace::import::{
    Event, Format, GapReason, ImportError, Mapping, Name, Options, Place, Rounds, Seen, Sink,
    Summary, import,
};

/// What an import hands out, as it comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Collected {
    names: Vec<String>,
    events: Vec<Event>,
    unread: Vec<(Place, String)>,
}

impl Sink for Collected {
    fn name(&mut self, name: Name, text: &str) -> io::Result<()> {
        assert_eq!(usize::try_from(name.0), Ok(self.names.len()));
        self.names.push(text.to_owned());
        Ok(())
    }

    fn event(&mut self, event: Event) -> io::Result<()> {
        assert!(self.events.last().is_none_or(|last| last.at <= event.at), "{event:?} goes back");
        self.events.push(event);
        Ok(())
    }

    fn unread(&mut self, at: Instant, place: Place, text: &str) -> io::Result<()> {
        assert!(self.events.last().is_none_or(|last| last.at <= at));
        self.unread.push((place, text.to_owned()));
        Ok(())
    }
}

impl Collected {
    /// Everything but the gaps, with its milliseconds.
    fn records(&self) -> impl Iterator<Item = (u64, Seen)> + '_ {
        let records = self.events.iter().filter(|event| !matches!(event.what, Seen::Gap { .. }));
        records.map(|event| (event.at.as_millis(), event.what))
    }

    fn gaps(&self) -> Vec<GapReason> {
        let reason = |event: &Event| match event.what {
            Seen::Gap { why, .. } => Some(why),
            _ => None,
        };
        self.events.iter().filter_map(reason).collect()
    }
}

const STRICT: Options = Options {
    lenient: false,
    skip_outliers: false,
    rounds: Rounds { count: 1, period: NOTHING },
    keep_addresses: false,
};
const LENIENT: Options = Options { lenient: true, ..STRICT };
const NOTHING: Duration = Duration::from_nanos(0);

fn imported(
    format: Format,
    file: impl AsRef<[u8]>,
    mapping: &Mapping,
    options: Options,
) -> (Collected, Result<Summary, ImportError>) {
    let mut sink = Collected::default();
    let summary = import(format, Cursor::new(file.as_ref()), mapping, options, &mut sink);
    (sink, summary)
}

/// An import that has to succeed.
#[track_caller]
fn good(format: Format, file: impl AsRef<[u8]>) -> (Collected, Summary) {
    let (sink, summary) = imported(format, file, &Mapping::standard(), STRICT);
    (sink, summary.expect("the file is well-formed"))
}

/// The text of the error that a strict import ends with, and how many records came before it.
#[track_caller]
fn refused(format: Format, file: impl AsRef<[u8]>) -> (String, usize) {
    let (sink, summary) = imported(format, file, &Mapping::standard(), STRICT);
    let error = summary.expect_err("the file is malformed");
    (error.to_string(), sink.records().count())
}

#[test]
fn any_bytes_in_any_format_give_a_value_or_an_error() {
    use proptest::prelude::*;
    let pieces = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        Just(b"t_us,kind,peer,len\n".to_vec()),
        Just(b"1000,hb,7,96\r\n".to_vec()),
        Just(b"I (1000) wg: rx 96 peer 7\n".to_vec()),
        Just(b"\x1b[0;33mW (99".to_vec()),
        Just(b"{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":1e300},".to_vec()),
        Just(vec![
            0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 1, 0, 0, 0
        ]),
        Just(vec![0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0]),
        Just(vec![0xEF, 0xBB, 0xBF]),
    ];
    proptest!(|(file in proptest::collection::vec(pieces, 0..6), lenient: bool, skip: bool)| {
        let file = file.concat();
        for format in Format::ALL {
            let options = Options { lenient, skip_outliers: skip, ..STRICT };
            let (sink, summary) = imported(format, &file, &Mapping::standard(), options);
            if let Ok(summary) = summary {
                prop_assert_eq!(summary.records, sink.records().count() as u64);
            }
        }
    });
}
