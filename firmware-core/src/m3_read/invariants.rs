//! What always holds of an [`M3Read`], between any two steps.
use super::operation::Job;
use super::ownership::HANDLES;
use super::{Connection, Doing, M3Read};

/// A rule about one state of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// Something is outstanding exactly while a request is in progress.
    BusyMeansARequest,
    /// A connection has a handle that is ours.
    ConnectedMeansOwned,
    /// A handle that is ours is one of the sixteen.
    HandleInRange,
    /// On a wedged interface nothing is in progress (ER-11).
    WedgedMeansResting,
    /// A stream that has ended leaves neither connection nor handle (S 1.6 M10).
    EndedMeansGone,
    /// Both indices lie in the ring.
    RingInRange,
    /// The figures of the running command agree with each other.
    ExchangeAgrees,
}

impl M3Read {
    /// The first rule that this state breaks; `None` always, unless the client is wrong.
    pub fn broken_invariant(&self) -> Option<Invariant> {
        let busy = self.doing != Doing::Nothing;
        let connected = self.connection == Connection::Connected;
        let handle = self.ownership.handle();
        let exchange = match &self.doing {
            Doing::Exchanging(exchange) => exchange.holds(&self.config),
            Doing::Nothing | Doing::Identifying | Doing::ReadingClock => true,
        };
        [
            (busy == (self.job != Job::None), Invariant::BusyMeansARequest),
            (!connected || handle.is_some(), Invariant::ConnectedMeansOwned),
            (handle.is_none_or(|handle| handle < HANDLES), Invariant::HandleInRange),
            (!self.wedged || !busy, Invariant::WedgedMeansResting),
            (self.ending.is_none() || !connected, Invariant::EndedMeansGone),
            (self.ring.holds(), Invariant::RingInRange),
            (exchange, Invariant::ExchangeAgrees),
        ]
        .into_iter()
        .find_map(|(holds, invariant)| (!holds).then_some(invariant))
    }
}
