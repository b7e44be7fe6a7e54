//! The machine's side: which messages it accepts, who owns the stop, and when silence is a STOP.
//!
//! ```text
//!   bytes ─► CRC ─► receiver ─► allowed ─► kind ─┬─ known: counter, gap, acknowledged, stamps ─┐
//!                                                └─ new: a BOND that has received nothing ─────┤
//!                    no reply, no sign of life ◄── rejected                                    ▼
//!                                                          reply with the verdict, alive ◄── accepted
//! ```
//!
//! The verdict is an OR of reasons to stop: some remote says STOP, a gesture is needed, or the
//! owner's OK came too soon after its STOP.
//!
//! Source: facts h2. Which byte acknowledges a BOND is not in the facts; the remote takes any reply.
use std::collections::BTreeMap;

use firmware_core::time::{Duration, Instant};

use super::wire::{Kind, Message, NoMessage};

/// How a machine is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MachineSpec {
    /// Its id.
    pub id: u32,
    /// Its heartbeat time, which it tells remotes; above zero.
    pub heartbeat: Duration,
    /// Heartbeat times of silence that are a STOP.
    pub max_missed: u32,
    /// Messages that may be lost in a row, in either direction.
    pub max_lost: u32,
    /// Least time between the owner's last STOP and its OK.
    pub min_stop: Duration,
    /// Remotes that it holds.
    pub remotes: usize,
}

impl MachineSpec {
    /// As shipped since ILV-3: 400 ms, 5 missed, 10 lost, 500 ms, 8 remotes.
    pub const SHIPPED: Self = Self {
        id: 0x0102_0304,
        heartbeat: Duration::from_millis(400),
        max_missed: 5,
        max_lost: 10,
        min_stop: Duration::from_millis(500),
        remotes: 8,
    };

    /// The shipped machine with another heartbeat time and tolerance, as `1000x1`.
    pub const fn with(heartbeat_ms: u64, max_missed: u32) -> Self {
        Self { heartbeat: Duration::from_millis(heartbeat_ms), max_missed, ..Self::SHIPPED }
    }
}

/// Why a message is not accepted. Order of declaration is order of checking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// It is no message.
    NoMessage(NoMessage),
    /// It is for another machine.
    Receiver,
    /// Its sender is not allowed.
    NotAllowed,
    /// Its kind is none of the four.
    Kind,
    /// An unknown remote does not bond, or claims to have received something.
    NotBonded,
    /// There is no room for another remote.
    Full,
    /// Its counter is not above the last: out of order.
    OutOfOrder,
    /// More messages are missing before it than may be lost.
    Gap,
    /// It acknowledges what was never sent.
    AckAhead,
    /// More replies are unacknowledged than may be lost.
    AckLag,
    /// Its stamp is not later than the last.
    Stamp,
    /// It answers a stamp that was never sent, or one that is too old.
    ReceivedStamp,
}

/// Whether the robot may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It may.
    Ok,
    /// It may not.
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Bonded,
    Stopped,
    Ok,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Client {
    state: State,
    counter: u32,
    stamp: u64,
    sent: u32,
    sent_stamp: u64,
    alive: Instant,
}

/// What a machine has seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Messages accepted.
    pub accepted: u64,
    /// Messages rejected.
    pub rejected: u64,
    /// Remotes dropped for silence: the machine's heartbeat time-outs.
    pub timeouts: u64,
    /// Times the verdict went from OK to STOP.
    pub stops: u64,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    spec: MachineSpec,
    /// Remotes that are heard; none listed hears all.
    allowed: Vec<u32>,
    /// Remotes that may stop and never arm.
    stop_only: Vec<u32>,
    clients: BTreeMap<u32, Client>,
    owner: Option<u32>,
    /// When the owner last said STOP.
    stopped_at: Instant,
    /// Nobody may arm before somebody has said STOP.
    needs_stop: bool,
    verdict: Verdict,
    counts: Counts,
    last_rejection: Option<Reject>,
}

impl Machine {
    /// A machine that was just switched on: it stops.
    pub fn new(spec: MachineSpec) -> Self {
        Self {
            spec,
            allowed: Vec::new(),
            stop_only: Vec::new(),
            clients: BTreeMap::new(),
            owner: None,
            stopped_at: Instant::ZERO,
            needs_stop: true,
            verdict: Verdict::Stop,
            counts: Counts::default(),
            last_rejection: None,
        }
    }

    /// Hears only these remotes.
    #[must_use]
    pub fn allowing(mut self, remotes: &[u32]) -> Self {
        self.allowed = remotes.to_vec();
        self
    }

    /// Takes from these remotes no more than a STOP: they own no cycle and arm nothing.
    #[must_use]
    pub fn only_stopped_by(mut self, remotes: &[u32]) -> Self {
        self.stop_only = remotes.to_vec();
        self
    }

    /// A datagram: the reply when it is accepted.
    ///
    /// # Errors
    /// The first rule that it breaks; it then gets no reply and is no sign of life.
    pub fn receive(&mut self, now: Instant, bytes: &[u8]) -> Result<Message, Reject> {
        let accepted = Message::parse(bytes)
            .map_err(Reject::NoMessage)
            .and_then(|message| self.admit(&message).map(|()| message));
        match accepted {
            Ok(message) => {
                self.counts.accepted += 1;
                self.take(now, &message);
                Ok(self.reply(now, &message))
            }
            Err(reason) => {
                self.counts.rejected += 1;
                self.last_rejection = Some(reason);
                Err(reason)
            }
        }
    }

    /// Drops remotes that have been silent for too long. To be called at least every 100 ms.
    pub fn look(&mut self, now: Instant) {
        let Self { spec, clients, .. } = self;
        let before = clients.len();
        clients.retain(|_, client| {
            let silence = now.since(client.alive);
            let missed = silence.as_nanos() / spec.heartbeat.as_nanos().max(1);
            !(silence > spec.heartbeat && missed >= u64::from(spec.max_missed))
        });
        let dropped = before - self.clients.len();
        if dropped > 0 {
            self.counts.timeouts += u64::try_from(dropped).unwrap_or(u64::MAX);
            self.require_stop();
        }
    }

    /// Whether the robot may move.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// What it has seen so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Why the last rejected message was rejected.
    pub fn last_rejection(&self) -> Option<Reject> {
        self.last_rejection
    }

    fn admit(&self, message: &Message) -> Result<(), Reject> {
        if message.receiver != self.spec.id {
            return Err(Reject::Receiver);
        }
        if !self.allowed.is_empty() && !self.allowed.contains(&message.sender) {
            return Err(Reject::NotAllowed);
        }
        if matches!(message.kind, Kind::Other(_)) {
            return Err(Reject::Kind);
        }
        match self.clients.get(&message.sender) {
            Some(client) => self.admit_known(message, client),
            None if message.kind != Kind::Bond
                || message.received_counter != 0
                || message.received_stamp != 0 =>
            {
                Err(Reject::NotBonded)
            }
            None if self.clients.len() >= self.spec.remotes => Err(Reject::Full),
            None => Ok(()),
        }
    }

    fn admit_known(&self, message: &Message, client: &Client) -> Result<(), Reject> {
        let Some(gap) = message.counter.checked_sub(client.counter).filter(|gap| *gap > 0) else {
            return Err(Reject::OutOfOrder);
        };
        if gap > self.spec.max_lost.saturating_add(1) {
            return Err(Reject::Gap);
        }
        let Some(lag) = client.sent.checked_sub(message.received_counter) else {
            return Err(Reject::AckAhead);
        };
        if lag > self.spec.max_lost {
            return Err(Reject::AckLag);
        }
        if message.stamp <= client.stamp {
            return Err(Reject::Stamp);
        }
        let heartbeat = (self.spec.heartbeat.as_nanos() / 1_000_000).max(1);
        match client.sent_stamp.checked_sub(message.received_stamp) {
            Some(age) if age / heartbeat <= u64::from(self.spec.max_missed) => Ok(()),
            Some(_) | None => Err(Reject::ReceivedStamp),
        }
    }

    /// An accepted message changes what the machine knows of its sender, and maybe the verdict.
    fn take(&mut self, now: Instant, message: &Message) {
        let id = message.sender;
        if message.kind == Kind::Unbond {
            self.leaves(id);
            return;
        }
        let known = self.clients.get(&id).map(|client| client.state);
        let client = self.clients.entry(id).or_insert(Client {
            state: State::Bonded,
            counter: 0,
            stamp: 0,
            sent: 0,
            sent_stamp: 0,
            alive: now,
        });
        client.counter = message.counter;
        client.stamp = message.stamp;
        client.alive = now;
        match (message.kind, known) {
            (Kind::Bond, Some(State::Ok)) => {
                client.state = State::Bonded;
                self.require_stop();
            }
            (Kind::Bond, Some(State::Stopped) | None) => {
                client.state = State::Bonded;
                if self.clients.len() == 1 {
                    self.require_stop();
                }
            }
            (Kind::Stop, _) => {
                client.state = State::Stopped;
                self.stop_of(id, now);
            }
            (Kind::Ok, _) => {
                client.state = State::Ok;
                self.arm(id, now);
            }
            (Kind::Bond, Some(State::Bonded)) | (Kind::Unbond | Kind::Other(_), _) => {}
        }
    }

    /// The first to say STOP owns the cycle; a STOP of another, or of one that may only stop, asks for
    /// a new one.
    fn stop_of(&mut self, id: u32, now: Instant) {
        self.say(Verdict::Stop);
        match self.owner {
            _ if self.stop_only.contains(&id) => {
                self.owner = None;
                self.needs_stop = true;
            }
            Some(owner) if owner != id => {
                self.owner = None;
                self.needs_stop = true;
            }
            Some(_) | None => {
                self.owner = Some(id);
                self.needs_stop = false;
                self.stopped_at = now;
            }
        }
    }

    fn arm(&mut self, id: u32, now: Instant) {
        let nobody_stops = self.clients.values().all(|client| client.state != State::Stopped);
        let long_enough = now.since(self.stopped_at) >= self.spec.min_stop;
        if self.owner == Some(id) && !self.needs_stop && nobody_stops && long_enough {
            self.say(Verdict::Ok);
        }
    }

    fn leaves(&mut self, id: u32) {
        let known = self.clients.remove(&id).is_some();
        if known && (self.owner == Some(id) || self.clients.is_empty()) {
            self.require_stop();
        }
    }

    fn require_stop(&mut self) {
        self.owner = None;
        self.needs_stop = true;
        self.say(Verdict::Stop);
    }

    fn say(&mut self, verdict: Verdict) {
        if self.verdict == Verdict::Ok && verdict == Verdict::Stop {
            self.counts.stops += 1;
        }
        self.verdict = verdict;
    }

    fn reply(&mut self, now: Instant, to: &Message) -> Message {
        let heartbeat_ms = self.spec.heartbeat.as_nanos() / 1_000_000;
        let mut reply = Message {
            kind: match (to.kind, self.verdict) {
                (Kind::Bond | Kind::Unbond, _) => to.kind,
                (_, Verdict::Ok) => Kind::Ok,
                (_, Verdict::Stop) => Kind::Stop,
            },
            stamp: now.as_millis(),
            received_stamp: to.stamp,
            sender: self.spec.id,
            receiver: to.sender,
            heartbeat_ms: u32::try_from(heartbeat_ms).unwrap_or(u32::MAX),
            counter: 1,
            received_counter: to.counter,
        };
        if let Some(client) = self.clients.get_mut(&to.sender) {
            client.sent = client.sent.wrapping_add(1);
            client.sent_stamp = reply.stamp;
            reply.counter = client.sent;
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ID: u32 = 0x01D7_F344;

    fn message(kind: Kind, counter: u32, millis: u64) -> Message {
        Message {
            kind,
            stamp: millis,
            received_stamp: 0,
            sender: ID,
            receiver: MachineSpec::SHIPPED.id,
            heartbeat_ms: 0,
            counter,
            received_counter: 0,
        }
    }

    /// Sends `kinds`, 200 ms apart, each acknowledging the reply to the one before.
    fn talk(machine: &mut Machine, id: u32, from: u64, kinds: &[Kind]) -> Vec<Verdict> {
        let mut last: Option<Message> = None;
        let mut verdicts = Vec::new();
        for (counter, kind) in (1..).zip(kinds) {
            let millis = from + 200 * u64::from(counter);
            let message = Message {
                sender: id,
                received_stamp: last.map_or(0, |last| last.stamp),
                received_counter: last.map_or(0, |last| last.counter),
                ..message(*kind, counter, millis)
            };
            let now = Instant::from_millis(millis);
            machine.look(now);
            last = Some(machine.receive(now, &message.write()).expect("in order"));
            verdicts.push(machine.verdict());
        }
        verdicts
    }

    /// Cites facts h2: a remote that may only stop stops an armed machine and arms none, and as long as
    /// it says STOP nobody does.
    #[test]
    fn a_stop_only_remote_stops_and_never_arms() {
        use Kind::{Bond, Ok, Stop};
        const GUARD: u32 = 7;
        let (go, halt) = (Verdict::Ok, Verdict::Stop);
        let mut machine = Machine::new(MachineSpec::SHIPPED).only_stopped_by(&[GUARD]);
        let alone = talk(&mut machine, GUARD, 0, &[Bond, Stop, Ok, Ok, Ok, Ok]);
        assert!(alone.iter().all(|verdict| *verdict == halt), "{alone:?}");

        let mut machine = Machine::new(MachineSpec::SHIPPED).only_stopped_by(&[GUARD]);
        let armed = talk(&mut machine, ID, 0, &[Bond, Stop, Ok, Ok, Ok]);
        assert_eq!(armed.last(), Some(&go));
        assert_eq!(talk(&mut machine, GUARD, 1_000, &[Bond, Stop]), [go, halt]);
        assert_eq!(machine.counts().stops, 1);
    }

    /// Cites facts h2 and PF-55: STOP, half a second, OK arms; less does not.
    #[test]
    fn a_gesture_of_half_a_second_arms_and_a_shorter_one_does_not() {
        use Kind::{Bond, Ok, Stop};
        let mut machine = Machine::new(MachineSpec::SHIPPED);
        let said = talk(&mut machine, ID, 0, &[Bond, Ok, Stop, Ok, Ok, Ok]);
        let (go, halt) = (Verdict::Ok, Verdict::Stop);
        assert_eq!(said, [halt, halt, halt, halt, halt, go]);
        assert_eq!(machine.counts().stops, 0);
    }

    /// Cites facts h2: the second operator's STOP asks for a new gesture.
    #[test]
    fn a_stop_of_another_than_the_owner_needs_a_new_gesture() {
        use Kind::{Bond, Ok, Stop};
        let mut machine = Machine::new(MachineSpec::SHIPPED);
        let _armed = talk(&mut machine, ID, 0, &[Bond, Stop, Stop, Ok, Ok, Ok]);
        assert_eq!(machine.verdict(), Verdict::Ok);
        let said = talk(&mut machine, 7, 1_200, &[Bond, Stop, Ok]);
        assert_eq!(said, [Verdict::Ok, Verdict::Stop, Verdict::Stop]);
        assert_eq!(machine.counts().stops, 1);
    }

    /// Cites facts h2: with 400x5 at 2000 ms, not at 2400; with 1000x1 only beyond 1000.
    #[test]
    fn silence_is_a_stop_at_the_product_of_time_and_tolerance() {
        for (spec, alive, dropped) in [
            (MachineSpec::with(400, 5), 1_999, 2_000),
            (MachineSpec::with(400, 3), 1_199, 1_200),
            (MachineSpec::with(1_000, 1), 1_000, 1_001),
        ] {
            let mut machine = Machine::new(spec);
            let bond = message(Kind::Bond, 1, 100);
            assert!(machine.receive(Instant::from_millis(100), &bond.write()).is_ok());
            machine.look(Instant::from_millis(100 + alive));
            assert_eq!(machine.counts().timeouts, 0, "{spec:?}");
            machine.look(Instant::from_millis(100 + dropped));
            assert_eq!(machine.counts().timeouts, 1, "{spec:?}");
        }
    }

    /// Cites facts h2 and PF-52: ten unacknowledged replies are borne, eleven are not.
    #[test]
    fn the_eleventh_unacknowledged_reply_is_one_too_many() {
        let mut machine = Machine::new(MachineSpec::with(1_000, 5));
        let mut answers = Vec::new();
        for counter in 1..=13 {
            let millis = 100 * u64::from(counter);
            let received = u32::from(counter > 1);
            let stamp = if counter == 1 { 0 } else { 100 };
            let kind = if counter == 1 { Kind::Bond } else { Kind::Stop };
            let message = Message {
                received_counter: received,
                received_stamp: stamp,
                ..message(kind, counter, millis)
            };
            let now = Instant::from_millis(millis);
            answers.push(machine.receive(now, &message.write()).map(|reply| reply.counter));
        }
        assert_eq!(answers[11], Ok(12));
        assert_eq!(answers[12], Err(Reject::AckLag));
    }

    /// Cites facts h2 and h3: the BOND of a remote that is still known comes out of order.
    #[test]
    fn a_bond_that_counts_from_one_again_is_out_of_order() {
        let mut machine = Machine::new(MachineSpec::SHIPPED);
        let _bonded = talk(&mut machine, ID, 0, &[Kind::Bond, Kind::Stop]);
        let again = message(Kind::Bond, 1, 1_000);
        let now = Instant::from_millis(1_000);
        assert_eq!(machine.receive(now, &again.write()), Err(Reject::OutOfOrder));
        machine.look(Instant::from_millis(2_400));
        let later = message(Kind::Bond, 2, 6_000);
        assert!(machine.receive(Instant::from_millis(6_000), &later.write()).is_ok());
    }

    proptest! {
        /// Whatever arrives, in whatever order, has a defined result, and rejected messages change
        /// nothing but their count.
        #[test]
        fn any_bytes_and_any_messages_have_a_defined_result(
            steps in prop::collection::vec(
                (0_u64..3_000, any::<u8>(), 0_u32..4, any::<bool>(), any::<[u8; 3]>()), 0..60),
        ) {
            let mut machine = Machine::new(MachineSpec { remotes: 2, ..MachineSpec::SHIPPED });
            let mut millis = 0;
            for (later, kind, sender, garbled, noise) in steps {
                millis += later;
                let kind = [Kind::Ok, Kind::Stop, Kind::Bond, Kind::Unbond, Kind::Other(kind)]
                    [usize::from(noise[0]) % 5];
                let message = Message {
                    sender,
                    received_counter: u32::from(noise[1] % 4),
                    received_stamp: u64::from(noise[2]) * millis / 255,
                    ..message(kind, u32::from(noise[1]), millis)
                };
                let mut bytes = message.write();
                if garbled {
                    bytes[usize::from(noise[0]) % 40] ^= 1;
                }
                let before = machine.clone();
                let now = Instant::from_millis(millis);
                if machine.receive(now, &bytes).is_err() {
                    let rejected = machine.counts.rejected;
                    prop_assert_eq!(rejected, before.counts.rejected + 1);
                    prop_assert_eq!(&machine.clients, &before.clients);
                    prop_assert_eq!(machine.verdict, before.verdict);
                }
                machine.look(now);
                prop_assert!(machine.clients.len() <= 2);
                prop_assert!(machine.verdict == Verdict::Stop || !machine.needs_stop);
            }
        }
    }
}
