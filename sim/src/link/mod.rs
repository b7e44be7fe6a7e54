//! What happens to a packet on its way: delay, loss, duplication, reordering, corruption.
//!
//! ```text
//!   packet ─► every link in force ─┬─ lost
//!                                  ├─ one copy, or two ─► each with its delay, and maybe one bit
//!                                  └─ none in force: as it is              flipped
//! ```
//!
//! Each link draws each of its chances from a stream of its own, for every packet that it concerns:
//! a link that loses nothing leaves the duplications of another as they are.
use firmware_core::time::{Duration, Instant};

use crate::random::{Ratio, Stream, Streams};
use crate::scenario::{Direction, LinkSpec, Way};

/// A packet's way, for links to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The group that the peer belongs to.
    pub group: usize,
    /// Over UDP or through the relay.
    pub way: Way,
    /// Where it goes.
    pub direction: Direction,
}

/// One copy of a packet as it arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copy {
    /// How much later than over a clear link.
    pub late: Duration,
    /// Draws the bit that is flipped, if one is.
    pub flipped: Option<u64>,
}

impl Copy {
    /// Flips the bit that this copy has flipped.
    pub fn garble(&self, bytes: &mut [u8]) {
        let bits = u64::try_from(bytes.len()).unwrap_or(u64::MAX).saturating_mul(8);
        if let Some(draw) = self.flipped
            && bits > 0
        {
            let at = draw % bits;
            let byte = usize::try_from(at / 8).unwrap_or(0);
            bytes[byte] ^= 1 << (at % 8);
        }
    }
}

/// How often each thing happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that a link looked at.
    pub passed: u64,
    /// Packets that are gone.
    pub lost: u64,
    /// Packets that arrived twice.
    pub duplicated: u64,
    /// Packets that were held back.
    pub reordered: u64,
    /// Packets with a flipped bit.
    pub corrupted: u64,
}

#[derive(Clone, Debug)]
struct Link {
    spec: LinkSpec,
    loss: Stream,
    duplicate: Stream,
    reorder: Stream,
    corrupt: Stream,
    bit: Stream,
    jitter: Stream,
}

impl Link {
    fn new(spec: &LinkSpec, streams: Streams) -> Self {
        let of = |purpose| streams.of(&spec.name, purpose);
        Self {
            loss: of("loss"),
            duplicate: of("duplicate"),
            reorder: of("reorder"),
            corrupt: of("corrupt"),
            bit: of("bit"),
            jitter: of("jitter"),
            spec: spec.clone(),
        }
    }

    fn concerns(&self, passage: Passage, now: Instant) -> bool {
        let spec = &self.spec;
        (spec.from..spec.until).contains(&now)
            && spec.group.is_none_or(|group| group == passage.group)
            && spec.way.is_none_or(|way| way == passage.way)
            && spec.direction.is_none_or(|direction| direction == passage.direction)
    }

    fn delay(&mut self) -> Duration {
        let most = self.spec.jitter.as_nanos();
        let jitter = if most == 0 { 0 } else { self.jitter.below(most) };
        self.spec.delay.plus(Duration::from_nanos(jitter))
    }
}

/// All links of a run.
#[derive(Clone, Debug)]
pub struct Links {
    links: Vec<Link>,
    counts: Counts,
}

impl Links {
    /// The links of a scenario.
    pub fn new(specs: &[LinkSpec], streams: Streams) -> Self {
        let links = specs.iter().map(|spec| Link::new(spec, streams)).collect();
        Self { links, counts: Counts::default() }
    }

    /// Whether there is none at all.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// What happened so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Sends a packet on its way at `now`: no copy, one or two.
    pub fn carry(&mut self, passage: Passage, now: Instant) -> heapless::Vec<Copy, 2> {
        let mut first = Copy::default();
        let mut second = None;
        let (mut passed, mut lost) = (false, false);
        for link in self.links.iter_mut().filter(|link| link.concerns(passage, now)) {
            passed = true;
            lost |= strikes(&mut link.loss, link.spec.loss);
            first.late = first.late.plus(link.delay());
            if strikes(&mut link.reorder, link.spec.reorder) {
                first.late = first.late.plus(link.spec.reorder_by);
                self.counts.reordered += 1;
            }
            if strikes(&mut link.duplicate, link.spec.duplicate) {
                second = Some(Copy { late: link.delay(), flipped: None });
            }
            if strikes(&mut link.corrupt, link.spec.corrupt) {
                first.flipped = Some(link.bit.next_u64());
            }
        }
        self.counts.passed += u64::from(passed);
        if lost {
            self.counts.lost += 1;
            return heapless::Vec::new();
        }
        self.counts.corrupted += u64::from(first.flipped.is_some());
        self.counts.duplicated += u64::from(second.is_some());
        std::iter::once(first).chain(second).collect()
    }
}

/// No draw where nothing can happen: a link without losses needs none.
fn strikes(stream: &mut Stream, share: Ratio) -> bool {
    share != Ratio::NEVER && stream.chance(share)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TO_DEVICE: Passage =
        Passage { group: 0, way: Way::Direct, direction: Direction::ToDevice };

    fn spec() -> LinkSpec {
        LinkSpec {
            name: "link".to_owned(),
            group: None,
            way: None,
            direction: None,
            from: Instant::ZERO,
            until: Instant::NEVER,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            loss: Ratio::NEVER,
            duplicate: Ratio::NEVER,
            reorder: Ratio::NEVER,
            reorder_by: Duration::ZERO,
            corrupt: Ratio::NEVER,
        }
    }

    fn links(specs: &[LinkSpec]) -> Links {
        Links::new(specs, Streams::new(1))
    }

    fn percent(share: u64) -> Ratio {
        Ratio::new(share, 100).expect("at most 100")
    }

    #[test]
    fn without_links_a_packet_arrives_as_it_is() {
        let mut clear = links(&[]);
        assert_eq!(clear.carry(TO_DEVICE, Instant::ZERO).as_slice(), [Copy::default()]);
        assert_eq!(clear.counts(), Counts::default());
    }

    #[test]
    fn a_blackhole_concerns_its_group_way_direction_and_window_only() {
        let hole = LinkSpec {
            group: Some(1),
            way: Some(Way::Direct),
            direction: Some(Direction::FromDevice),
            from: Instant::from_millis(10),
            until: Instant::from_millis(20),
            loss: percent(100),
            ..spec()
        };
        let mut links = links(&[hole]);
        let inside = Passage { group: 1, way: Way::Direct, direction: Direction::FromDevice };
        let at = Instant::from_millis;
        assert!(links.carry(inside, at(10)).is_empty() && links.carry(inside, at(19)).is_empty());
        for (passage, when) in [
            (inside, 9),
            (inside, 20),
            (Passage { group: 0, ..inside }, 15),
            (Passage { way: Way::Relay, ..inside }, 15),
            (Passage { direction: Direction::ToDevice, ..inside }, 15),
        ] {
            assert_eq!(links.carry(passage, at(when)).len(), 1, "{passage:?} at {when}");
        }
        assert_eq!((links.counts().passed, links.counts().lost), (2, 2));
    }

    #[test]
    fn shares_come_out_and_delays_add_up() {
        let slow =
            LinkSpec { name: "slow".to_owned(), delay: Duration::from_millis(150), ..spec() };
        let poor = LinkSpec {
            delay: Duration::from_millis(10),
            jitter: Duration::from_millis(5),
            loss: percent(10),
            duplicate: percent(20),
            reorder: percent(5),
            reorder_by: Duration::from_millis(40),
            corrupt: percent(2),
            ..spec()
        };
        let mut links = links(&[slow, poor]);
        for packet in 0..20_000 {
            let at = Instant::from_millis(packet);
            for copy in links.carry(TO_DEVICE, at).iter().take(1) {
                let late = copy.late.as_nanos() / 1_000_000;
                assert!((160..205).contains(&late), "{late} ms");
            }
        }
        let Counts { lost, duplicated, reordered, corrupted, .. } = links.counts();
        assert!((1_850..2_150).contains(&lost), "{lost}");
        assert!((3_400..3_800).contains(&duplicated), "{duplicated} of 18 000");
        assert!((900..1_100).contains(&reordered), "{reordered}");
        assert!((300..430).contains(&corrupted), "{corrupted} of 18 000");
    }

    #[test]
    fn more_loss_leaves_the_other_draws_where_they_were() {
        let some = LinkSpec { duplicate: percent(30), ..spec() };
        let lossy = LinkSpec { loss: percent(50), ..some.clone() };
        let (mut clear, mut poor) = (links(&[some]), links(&[lossy]));
        for packet in 0..200 {
            let at = Instant::from_millis(packet);
            let (one, other) = (clear.carry(TO_DEVICE, at), poor.carry(TO_DEVICE, at));
            assert!(other.is_empty() || one == other);
        }
    }

    proptest! {
        #[test]
        fn garbling_flips_exactly_one_bit_of_anything(
            bytes in prop::collection::vec(any::<u8>(), 0..200), draw: u64,
        ) {
            let mut garbled = bytes.clone();
            Copy { flipped: Some(draw), ..Copy::default() }.garble(&mut garbled);
            let pairs = bytes.iter().zip(&garbled);
            let flipped: u32 = pairs.map(|(one, other)| (one ^ other).count_ones()).sum();
            prop_assert_eq!(flipped, u32::from(!bytes.is_empty()));
        }
    }
}
