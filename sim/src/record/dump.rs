//! The dump of a device's recorder becomes a trace.
//!
//! ```text
//!   dumps, one behind the other ─► slots ─► arrive.… and in.packet, in.…, out.charge, fingerprint
//! ```
//!
//! A device keeps pseudonyms of keys; here each becomes a key that nobody holds. Steps that the
//! device dropped are a gap. The head says nothing of the firmware's configuration but the preset
//! that is asked for: a replay under the wrong one diverges, and is explained.
use std::hash::Hasher;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::charge::CostKey;
use firmware_core::recorder::{
    DUMP_CHECK, DUMP_HEADER, DUMP_MAGIC, DUMP_VERSION, SLOT_LEN, Slot, kind,
};
use firmware_core::time::Instant;
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::{DiscoKey, KEY_LEN, NodeKey};
use firmware_core::wg_mgr::peers::HostName;
use firmware_core::wg_mgr::wire::{self, Endpoints};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::pft::choice::{GapReason, Origin};
use crate::pft::event::{Arrival, Patch, Peer};
use crate::pft::field::Octets;
use crate::pft::{Event, WriteError, Writer};

/// The most slots that a dump may say it has.
const SLOTS_MOST: u32 = 512;

/// Why bytes are no dump.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// They cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// They do not begin as a dump does.
    #[error("dump {dump}: its first bytes are not those of a recorder's dump")]
    NotADump {
        /// Which, from 0.
        dump: u64,
    },
    /// A later layout.
    #[error("dump {dump} has layout {found}; {DUMP_VERSION} is known")]
    Version {
        /// Which, from 0.
        dump: u64,
        /// Its layout.
        found: u8,
    },
    /// It ends too early.
    #[error("dump {dump} ends too early")]
    Cut {
        /// Which, from 0.
        dump: u64,
    },
    /// Its check does not fit.
    #[error("dump {dump} is damaged: its CRC does not fit")]
    Damaged {
        /// Which, from 0.
        dump: u64,
    },
    /// A slot that means nothing.
    #[error("dump {dump}, slot {slot}: {why}")]
    Slot {
        /// Which dump, from 0.
        dump: u64,
        /// Which slot, from 0.
        slot: usize,
        /// Why.
        why: &'static str,
    },
    /// The trace cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What an import of dumps came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Dumps read.
    pub dumps: u64,
    /// Steps of the core in them.
    pub steps: u64,
    /// Steps that the device dropped.
    pub dropped: u64,
}

/// A salt for pseudonyms that whoever has only the trace cannot know: made of all the dumps.
pub fn salt(bytes: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    hasher.finish128().as_u128()
}

/// Reads dumps, one behind the other, into a trace.
///
/// # Errors
/// When one is not as it should be; what came before it is in the trace then.
pub fn import<W: Write>(
    source: &mut impl Read,
    writer: &mut Writer<W>,
) -> Result<Imported, DumpError> {
    let mut state = State { at: Instant::ZERO, packet: 0, imported: Imported::default() };
    let mut header = [0; DUMP_HEADER];
    loop {
        let dump = state.imported.dumps;
        match read_whole(source, &mut header)? {
            0 => return Ok(state.imported),
            read if read < DUMP_HEADER => return Err(DumpError::Cut { dump }),
            _ => {}
        }
        if header[..4] != DUMP_MAGIC {
            return Err(DumpError::NotADump { dump });
        }
        let [.., a, b, c, d, _, _, _, _] = header;
        let count = u32::from_le_bytes([a, b, c, d]);
        if header[4] != DUMP_VERSION || usize::from(header[5]) != SLOT_LEN || count > SLOTS_MOST {
            return Err(DumpError::Version { dump, found: header[4] });
        }
        let length = usize::try_from(count).unwrap_or(0) * SLOT_LEN;
        let mut body = vec![0; length + DUMP_CHECK];
        if read_whole(source, &mut body)? < body.len() {
            return Err(DumpError::Cut { dump });
        }
        let mut crc = crc32fast::Hasher::new();
        crc.update(&header);
        crc.update(&body[..length]);
        if body[length..] != crc.finalize().to_le_bytes() {
            return Err(DumpError::Damaged { dump });
        }
        state.slots(&body[..length], writer)?;
        state.imported.dumps += 1;
    }
}

fn read_whole(source: &mut impl Read, into: &mut [u8]) -> Result<usize, DumpError> {
    let mut have = 0;
    while have < into.len() {
        match source.read(&mut into[have..]) {
            Ok(0) => break,
            Ok(read) => have += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(have)
}

struct State {
    at: Instant,
    packet: u64,
    imported: Imported,
}

/// A slot and those that go on with it.
struct Group<'a> {
    first: Slot,
    more: &'a [Slot],
}

impl Group<'_> {
    /// The content of a slot that goes on.
    fn more(&self, place: usize) -> Result<&[u8; 10], &'static str> {
        self.more.get(place).map(Slot::content).ok_or("the slots that go on with it are missing")
    }

    fn endpoints(&self, from: usize, count: u8) -> Result<Endpoints, &'static str> {
        (from..from + usize::from(count)).map(|place| Ok(endpoint(self.more(place)?))).collect()
    }

    fn way(&self) -> Result<Via, &'static str> {
        let content = self.more(0)?;
        let is_relay = self.more[0].detail() & 1 != 0;
        Ok(if is_relay {
            Via::Derp(NodeKey(key(number(content, 0))))
        } else {
            Via::Direct(endpoint(content))
        })
    }
}

impl State {
    fn slots<W: Write>(&mut self, bytes: &[u8], writer: &mut Writer<W>) -> Result<(), DumpError> {
        let slots: Vec<Slot> =
            bytes.chunks_exact(SLOT_LEN).filter_map(|it| it.first_chunk()).map(Slot::of).collect();
        let mut place = 0;
        while let Some(first) = slots.get(place) {
            let rest = &slots[place + 1..];
            let more = rest.iter().take_while(|slot| slot.kind() == kind::MORE).count();
            let group = Group { first: *first, more: &rest[..more] };
            let events = self.events(&group).map_err(|why| DumpError::Slot {
                dump: self.imported.dumps,
                slot: place,
                why,
            })?;
            for event in &events {
                writer.record(self.at, event)?;
            }
            place += 1 + more;
        }
        Ok(())
    }

    fn events(&mut self, group: &Group<'_>) -> Result<Vec<Event>, &'static str> {
        let Group { first, .. } = group;
        match first.kind() {
            kind::TIME => {
                if first.absolute() < self.at {
                    return Err("its time goes back");
                }
                self.at = first.absolute();
                Ok(Vec::new())
            }
            kind::GAP => {
                let lost = u64::from(first.number());
                self.imported.dropped += lost;
                Ok(vec![Event::Gap { reason: GapReason::Dropped, lost: Some(lost) }])
            }
            kind::OUTPUTS => {
                let charge = match usize::from(first.detail()).checked_sub(1) {
                    None => None,
                    Some(number) => {
                        Some(*CostKey::ALL.get(number).ok_or("no charge has that number")?)
                    }
                };
                let charge = charge.map(|key| Event::OutCharge { key });
                let fingerprint = Event::OutFingerprint { value: first.number() };
                Ok(charge.into_iter().chain([fingerprint]).collect())
            }
            kind::PRELOAD => Ok(vec![Event::Preload { peer: peer(group)? }]),
            _ => {
                self.at = first.from(self.at);
                self.imported.steps += 1;
                self.input(group)
            }
        }
    }

    fn input(&mut self, group: &Group<'_>) -> Result<Vec<Event>, &'static str> {
        let first = &group.first;
        let content = first.content();
        let event = match first.kind() {
            kind::WAKE => Event::InWake {},
            kind::NOTHING => Event::InEmpty {},
            kind::ADD => Event::InAdd { peer: peer(group)? },
            kind::REMOVE => Event::InRemove { node: NodeKey(key(first.number())) },
            kind::PATCH => Event::InPatch {
                patch: Patch {
                    node: NodeKey(key(first.number())),
                    disco: (first.detail() & 1 != 0).then(|| DiscoKey(key(number(content, 4)))),
                    region: u16::from_le_bytes([content[8], content[9]]),
                    endpoints: group.endpoints(0, first.detail() >> 1 & 15)?,
                },
            },
            kind::REGISTERED => Event::InRegistered {},
            kind::SHUTDOWN => Event::InShutdown {},
            kind::RESTART => Event::InRestart {},
            kind::LOCAL_ENDPOINT => Event::InLocalEndpoint { endpoint: endpoint(content) },
            kind::PUBLIC_ENDPOINT => Event::InPublicEndpoint { endpoint: endpoint(content) },
            kind::RELAY_CONNECTED => Event::InRelayConnected {},
            kind::ALLOW_LIST if first.detail() == u8::MAX => {
                // The device did not keep it, and what follows depends on it.
                Event::Gap { reason: GapReason::Missed, lost: Some(1) }
            }
            kind::ALLOW_LIST => Event::InAllowList { addresses: addresses(group)? },
            kind::ALLOW_LIST_BUSY => Event::InAllowListBusy { busy: first.detail() != 0 },
            kind::SETTINGS_MAX_PEERS => Event::InSettingsMaxPeers { most: first.detail() },
            kind::STORE_WRITE_FAILED => Event::InStoreWriteFailed {},
            kind::TUNNEL_SEND..=kind::BOOTED_AT => told(first)?,
            kind::PING..=kind::BYTES => return self.packet(group),
            _ => return Err("no such kind of slot is known"),
        };
        Ok(vec![event])
    }

    fn packet(&mut self, group: &Group<'_>) -> Result<Vec<Event>, &'static str> {
        let first = &group.first;
        let (content, detail) = (first.content(), first.detail());
        let packet = self.packet;
        self.packet += 1;
        let arrival = Arrival { packet, way: group.way()?, origin: Origin::Unknown };
        let sender = DiscoKey(key(first.number()));
        let box_bytes = u32::from(u16::from_le_bytes([content[4], content[5]]));
        let arrive = match first.kind() {
            kind::PING => {
                let node = (detail != 0).then(|| NodeKey(key(number(content, 4))));
                Event::ArrivePing { arrival, sender, node }
            }
            kind::PONG => {
                let answers = Some(number(content, 4)).filter(|number| *number != u32::MAX);
                Event::ArrivePong { arrival, sender, answers: answers.map(u64::from) }
            }
            kind::CALL_ME_MAYBE => {
                Event::ArriveCallMeMaybe { arrival, sender, endpoints: group.endpoints(1, detail)? }
            }
            kind::UNREADABLE => {
                let message_type = Some(detail).filter(|message| *message != u8::MAX);
                Event::ArriveUnreadable { arrival, sender, message_type }
            }
            kind::FORGED => Event::ArriveForged { arrival, sender, box_bytes },
            kind::UNOPENED => Event::ArriveUnopened { arrival, sender, box_bytes },
            _ => plain(group, arrival)?,
        };
        Ok(vec![arrive, Event::InPacket { packet }])
    }
}

/// What the applications and the relay task said.
fn told(slot: &Slot) -> Result<Event, &'static str> {
    let content = slot.content();
    let address =
        |at: usize| Ipv4Addr::new(content[at], content[at + 1], content[at + 2], content[at + 3]);
    let flag = slot.detail() != 0;
    let region = u16::from_le_bytes([content[0], content[1]]);
    Ok(match slot.kind() {
        kind::TUNNEL_SEND => {
            let length = u16::from_le_bytes([content[4], content[5]]);
            Event::InTunnelSend { to: address(0), length }
        }
        kind::PIN => Event::InPin { address: address(0), pinned: flag },
        kind::PEER_CHANGED => {
            Event::InPeerChanged { old: address(0), new: address(4), shared: flag }
        }
        kind::HEALTH => Event::InHealth { address: address(0), healthy: flag },
        kind::LINK_HEALTH => Event::InLinkHealth { healthy: flag },
        kind::PRIORITY_PEER => Event::InPriorityPeer { address: flag.then(|| address(0)) },
        kind::RELAY => Event::InRelay { region, up: flag },
        kind::RELAY_HOME => Event::InRelayHome { region },
        kind::RELAY_OVERRIDE => Event::InRelayOverride { region },
        kind::BOOTED_AT => Event::InBootedAt { at: slot.absolute() },
        _ => return Err("no such kind of slot is known"),
    })
}

/// A packet of which the first 16 bytes are known.
fn plain(group: &Group<'_>, arrival: Arrival) -> Result<Event, &'static str> {
    let (first, more) = (&group.first, group.more(0)?);
    let length = u16::from_le_bytes([more[8], more[9]]);
    let odd = u8::from(group.more[0].detail() & 2 != 0);
    let mut bytes = vec![first.detail(), odd, 0, 0];
    bytes.extend_from_slice(first.content());
    bytes.extend_from_slice(&more[6..8]);
    bytes.truncate(length.into());
    let mut whole = bytes.clone();
    whole.resize(length.into(), 0);
    let class = wire::classify(&whole, matches!(arrival.way, Via::Derp(_)));
    Ok(Event::ArriveBytes { arrival, class, bytes: Octets(bytes), length: length.into() })
}

fn peer(group: &Group<'_>) -> Result<Peer, &'static str> {
    let (first, more) = (&group.first, group.more(0)?);
    let content = first.content();
    Ok(Peer {
        address: Ipv4Addr::new(more[0], more[1], more[2], more[3]),
        node: NodeKey(key(first.number())),
        disco: DiscoKey(key(number(content, 4))),
        region: u16::from_le_bytes([content[8], content[9]]),
        endpoints: group.endpoints(1, first.detail() >> 1 & 15)?,
        name: HostName::from_bytes(&more[4..]),
        wanted: first.detail() & 1 != 0,
    })
}

fn addresses(group: &Group<'_>) -> Result<Vec<Ipv4Addr>, &'static str> {
    let count = usize::from(group.first.detail());
    (0..count)
        .map(|place| {
            let pair = group.more(place / 2)?;
            let at = 4 * (place % 2);
            Ok(Ipv4Addr::new(pair[at], pair[at + 1], pair[at + 2], pair[at + 3]))
        })
        .collect()
}

fn number(content: &[u8; 10], at: usize) -> u32 {
    u32::from_le_bytes([content[at], content[at + 1], content[at + 2], content[at + 3]])
}

fn endpoint(content: &[u8; 10]) -> SocketAddrV4 {
    let [a, b, c, d, high, low, ..] = *content;
    SocketAddrV4::new(Ipv4Addr::new(a, b, c, d), u16::from_be_bytes([high, low]))
}

/// A key for a pseudonym: 0 and 1 are the zero key and another of low order.
fn key(pseudonym: u32) -> [u8; KEY_LEN] {
    let mut key = [0; KEY_LEN];
    if pseudonym > 1 {
        key[KEY_LEN - 4..].fill(0x42);
        key[4..12].copy_from_slice(b"recorder");
    }
    key[..4].copy_from_slice(&pseudonym.to_le_bytes());
    key
}
