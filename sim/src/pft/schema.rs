//! Records of any version as text, by the schema that their file carries.
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::NodeKey;

use super::field::{Broken, Cursor, Field, Octets};

/// A record's name and fields; `None` when the schema does not have its kind, or not so.
pub fn line(schema: &str, number: u64, bytes: &[u8]) -> Option<String> {
    let wanted = number.to_string();
    let entry = schema.lines().find(|line| line.split(' ').next() == Some(&wanted))?;
    let mut words = split(entry).into_iter().skip(1);
    let mut out = words.next()?.to_owned();
    let mut cursor = Cursor::new(bytes);
    for field in words {
        let (name, kind) = field.split_once(':')?;
        out.extend([" ", name, "="]);
        show(kind, &mut cursor, &mut out, 0).ok()?;
    }
    cursor.rest().is_empty().then_some(out)
}

/// The parts of a schema line that blanks outside brackets separate.
fn split(line: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0_i32, 0, Vec::new());
    for (at, sign) in line.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 => {
                parts.push(&line[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[from..]);
    parts
}

/// Types within types that are followed.
const DEPTH_MOST: u8 = 8;

fn show(kind: &str, from: &mut Cursor<'_>, out: &mut String, depth: u8) -> Result<(), Broken> {
    let unknown = || Broken::value(kind, "type");
    if depth > DEPTH_MOST {
        return Err(unknown());
    }
    match kind {
        "uint" => shown::<u64>(from, out),
        "int" => shown::<i64>(from, out),
        "bool" => shown::<bool>(from, out),
        "span" => shown::<Duration>(from, out),
        "time" => shown::<Instant>(from, out),
        "text" => shown::<String>(from, out),
        "bytes" => shown::<Octets>(from, out),
        "address" => shown::<Ipv4Addr>(from, out),
        "endpoint" => shown::<SocketAddrV4>(from, out),
        "key" => shown::<NodeKey>(from, out),
        "way" => shown::<Via>(from, out),
        _ => {
            let (word, inner) = kind.split_once('(').ok_or_else(unknown)?;
            let inner = inner.strip_suffix(')').ok_or_else(unknown)?;
            composed(word, inner, from, out, depth + 1)
        }
    }
}

fn shown<T: Field>(from: &mut Cursor<'_>, out: &mut String) -> Result<(), Broken> {
    T::take(from)?.show(out);
    Ok(())
}

fn composed(
    word: &str,
    inner: &str,
    from: &mut Cursor<'_>,
    out: &mut String,
    depth: u8,
) -> Result<(), Broken> {
    match word {
        "optional" if bool::take(from)? => show(inner, from, out, depth),
        "optional" => {
            out.push_str("none");
            Ok(())
        }
        "list" => {
            let count = from.uint()?;
            if count > from.rest().len() as u64 {
                return Err(Broken::Short("list"));
            }
            out.push('[');
            for place in 0..count {
                if place > 0 {
                    out.push(' ');
                }
                show(inner, from, out, depth)?;
            }
            out.push(']');
            Ok(())
        }
        "choice" => {
            let number = from.uint()?.to_string();
            let words = split(inner).into_iter().filter_map(|word| word.split_once('='));
            let name = words.into_iter().find(|(known, _)| *known == number);
            out.push_str(name.map_or(&number, |(_, name)| name));
            Ok(())
        }
        "group" => {
            let mut gap = "";
            for field in split(inner) {
                let (name, kind) =
                    field.split_once(':').ok_or_else(|| Broken::value(field, "field"))?;
                out.extend([gap, name, "="]);
                show(kind, from, out, depth)?;
                gap = " ";
            }
            Ok(())
        }
        _ => Err(Broken::value(word, "type")),
    }
}

#[cfg(test)]
mod tests {
    use firmware_core::wg_mgr::output::MessageKind;
    use firmware_core::wg_mgr::peers::PeerIndex;

    use super::super::choice::Origin;
    use super::super::event::{Arrival, Event};
    use super::*;

    /// What a later version's records look like to this one: known by the schema alone.
    #[test]
    fn the_schema_alone_shows_a_record_as_its_own_type_does() {
        let endpoint = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 7), 41_641);
        let way = Via::Direct(endpoint);
        let events = [
            Event::InWake {},
            Event::OutSend {
                message: MessageKind::Pong,
                peer: PeerIndex(7),
                node: NodeKey([9; 32]),
                direct: vec![endpoint, endpoint],
                relay: true,
            },
            Event::ArrivePong {
                arrival: Arrival { packet: 300, way, origin: Origin::Peer },
                sender: firmware_core::wg_mgr::keys::DiscoKey([3; 32]),
                answers: Some(12),
            },
            Event::Counter { track: "heap".to_owned(), value: -5 },
        ];
        for event in events {
            let mut bytes = Vec::new();
            event.put(&mut bytes);
            let shown = line(&Event::schema(), event.number(), &bytes);
            assert_eq!(shown, Some(event.line()));
            assert_eq!(line(&Event::schema(), event.number(), &[bytes, vec![0]].concat()), None);
        }
        assert_eq!(line("7 odd x:list(list(list(odd)))", 7, &[1, 1, 1]), None);
        assert_eq!(line("", 7, &[]), None);
    }
}
