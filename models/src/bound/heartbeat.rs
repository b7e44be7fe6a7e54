//! How long a heartbeat can wait, from its place in the tunnel queue to the end of its decryption.
//!
//! ```text
//!   TunnelFirst:  drain ─ updates, adds ─ flush ─ broadcast ─ DISCO ─ drain ─ timers ─ sleep ─ drain
//!   interleaved:        each add │ drain                 each counted open │ drain
//!   TunnelLast:   updates ─ flush ─ broadcast ─ DISCO ─ drain ─ timers ─ sleep ─ …
//! ```
//!
//! A heartbeat that a full queue sheds has no wait at all; that it is not shed is another question
//! ([`super::coverage`]).
use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::config::{Config, OpensExempt, PassOrder};

use super::certificate::{Ahead, Certificate, Run, Segment, Term};
use super::{Curve, NotBounded, busy_window};
use crate::wg_mgr::costs;

/// A window longer than this is taken for one without end: an hour.
const WINDOW_MOST_US: u64 = 3_600_000_000;
/// Pings that one CallMeMaybe can cause, and the answer to it where the rule is not corrected.
const CALL_ME_MAYBE_SEALS: u64 = 10;

/// What has to be known.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The name of the configuration, for the certificate.
    pub name: String,
    /// The configuration.
    pub config: Config,
    /// Peers in the table at most.
    pub peers: u64,
    /// Packets from keys that cost no open budget.
    pub exempt: Option<Curve>,
    /// Packets from unknown keys; only asked for where no budget bounds them.
    pub unknown: Option<Curve>,
    /// Whether initiations may stand in the queue before the heartbeat.
    pub initiations: bool,
    /// How late the operating system's tick may end the sleep, in microseconds.
    pub tick_us: u64,
}

impl Facts {
    /// The facts of a shipped configuration with a full table, each peer of which pings once in 30 s as
    /// its own WG-HB-1 has it, and the priority peer once a second: assumed, since nothing in the
    /// firmware limits what a peer sends.
    pub fn shipped(name: &str, config: Config) -> Self {
        let peers = u64::from(config.peer_table);
        let exempt = match config.opens_exempt {
            OpensExempt::KnownKeys => {
                Curve { burst: u64::from(config.disco_queue_depth), period_us: 30_000_000 / peers }
            }
            OpensExempt::PriorityPeer => Curve { burst: 2, period_us: 1_000_000 },
        };
        Self {
            name: name.into(),
            config,
            peers,
            exempt: Some(exempt),
            unknown: None,
            initiations: false,
            tick_us: 1_000,
        }
    }

    /// The same with initiations in the queue.
    #[must_use]
    pub fn with_initiations(self) -> Self {
        Self { initiations: true, ..self }
    }
}

fn worst(key: CostKey) -> u64 {
    costs::interval(key).1
}

fn term(count: u64, key: CostKey) -> Term {
    Term { what: format!("{key:?}"), count, each_us: worst(key) }
}

/// What one box leads to at most: the open and the seals that follow from it. The sender's key has just
/// been used, so a cache holds it.
fn served(config: &Config) -> Vec<Term> {
    let seal = if config.key_cache_entries > 0 {
        CostKey::BoxSealCached
    } else {
        CostKey::BoxSealComputed
    };
    vec![term(1, CostKey::BoxOpenComputed), term(CALL_ME_MAYBE_SEALS, seal)]
}

/// An add, its CallMeMaybe and its ping.
fn add(config: &Config) -> Vec<Term> {
    let mut terms = vec![term(1, CostKey::PeerAdd)];
    if config.key_cache_entries > 0 {
        terms.extend([term(1, CostKey::BoxSealComputed), term(1, CostKey::BoxSealCached)]);
    } else {
        terms.push(term(2, CostKey::BoxSealComputed));
    }
    terms
}

fn times(count: u64, terms: Vec<Term>) -> Vec<Term> {
    terms.into_iter().map(|term| Term { count: term.count * count, ..term }).collect()
}

/// Updates without cryptography: a whole queue of them, and no drain between.
fn small_updates(config: &Config) -> Term {
    term(config.update_queue_depth.into(), CostKey::PeerUpdate)
}

fn flush_and_broadcast(facts: &Facts) -> Vec<Term> {
    let sends = facts.config.call_me_maybe_sends_per_pass.map_or(facts.peers, u64::from);
    let seal = term(sends, CostKey::BoxSealComputed);
    vec![term(1, CostKey::StoreWrite), seal]
}

/// The segments of a pass.
fn segments(facts: &Facts) -> Result<Vec<Segment>, NotBounded> {
    let config = &facts.config;
    let missing = |what: &str| NotBounded { missing: what.into() };
    let opens = match (config.opens_per_pass, facts.unknown) {
        (Some(opens), _) => u64::from(opens),
        (None, Some(_)) => u64::from(config.disco_queue_depth),
        (None, None) => return Err(missing("no budget on opens of unknown keys")),
    };
    let adds = match config.adds_per_pass {
        Some(adds) => u64::from(adds.max(1)),
        None => return Err(missing("no budget on peers added in a pass")),
    };
    let strict = config.rules.known_key_drain.is_strict() && config.interleave;
    let run = if strict { None } else { Some(exempt_run(facts)?) };
    let mut all = Vec::new();
    if config.interleave {
        let mut one_add = vec![small_updates(config)];
        one_add.extend(add(config));
        all.push(Segment::of("an add, its seals, and the updates before it", one_add, None)?);
        let mut first_open = vec![small_updates(config)];
        first_open.extend(flush_and_broadcast(facts));
        first_open.extend(served(config));
        all.push(Segment::of("the last add to the first counted open", first_open, run.clone())?);
        all.push(Segment::of("one counted open to the next", served(config), run)?);
    } else {
        let mut pass = vec![small_updates(config)];
        pass.extend(times(adds, add(config)));
        pass.extend(flush_and_broadcast(facts));
        pass.extend(times(opens, served(config)));
        all.push(Segment::of("updates, flush, broadcast and DISCO", pass, run)?);
    }
    all.push(timers(facts)?);
    if config.order == PassOrder::TunnelLast {
        // Timers, sleep and the front of the next pass follow each other without a look.
        let terms = all.iter().flat_map(|segment| segment.terms.clone()).collect();
        let run = all.iter().find_map(|segment| segment.run.clone());
        all = vec![Segment::of("one drain to the next, a whole pass later", terms, run)?];
    }
    Ok(all)
}

/// Packets that cost no budget are served one after the other, without a drain between.
fn exempt_run(facts: &Facts) -> Result<Run, NotBounded> {
    let each_us = served(&facts.config).iter().map(|term| term.count * term.each_us).sum();
    let what = match facts.config.opens_exempt {
        OpensExempt::KnownKeys => "no budget on packets from known keys",
        OpensExempt::PriorityPeer => "no budget on packets from the priority peer",
    };
    let curve = facts.exempt.ok_or_else(|| NotBounded { missing: what.into() })?;
    Ok(Run { what: what.into(), each_us, curve, length_us: 0 })
}

/// One scan of the timers and the sleep behind it. No cap bounds the pings of paths that are given up.
fn timers(facts: &Facts) -> Result<Segment, NotBounded> {
    let config = &facts.config;
    let heartbeats = config.heartbeats_per_tick.map_or(facts.peers, u64::from);
    let pings = facts.peers + heartbeats + 1 + u64::from(config.upgrades_per_tick) + 1;
    let sleep = config.loop_delay.as_nanos() / 1_000 + facts.tick_us;
    let terms = vec![
        term(pings, CostKey::BoxSealComputed),
        Term { what: "sleep and tick".into(), count: 1, each_us: sleep },
    ];
    Segment::of("timers and sleep", terms, None)
}

impl Segment {
    fn of(name: &str, terms: Vec<Term>, run: Option<Run>) -> Result<Self, NotBounded> {
        let base: u64 = terms.iter().map(|term| term.count * term.each_us).sum();
        let (run, total_us) = match run {
            None => (None, base),
            Some(run) => {
                let length = busy_window(base, run.each_us, run.curve, WINDOW_MOST_US);
                let missing =
                    || NotBounded { missing: format!("{}, and more come than go", run.what) };
                let length_us = length.ok_or_else(missing)?;
                (Some(Run { length_us, ..run }), length_us)
            }
        };
        Ok(Self { name: name.into(), terms, run, total_us })
    }
}

/// The bound, with everything that it rests on.
///
/// # Errors
/// The smallest fact that is missing.
pub fn bound(facts: &Facts) -> Result<Certificate, NotBounded> {
    let segments = segments(facts)?;
    let longest_us = segments.iter().map(|segment| segment.total_us).max().unwrap_or(0);
    let key = if facts.initiations { CostKey::InitiationReceived } else { CostKey::TunnelData };
    let packets = u64::from(facts.config.tunnel_queue_depth) - 1;
    let ahead = Ahead { packets, what: format!("{key:?}"), each_us: worst(key) };
    let own_us = worst(CostKey::TunnelData);
    let assumed = CostKey::ALL.into_iter().filter(|key| costs::is_assumed(*key));
    let mut assumed: Vec<String> = assumed.map(|key| format!("{key:?}")).collect();
    if segments.iter().any(|segment| segment.run.is_some()) {
        assumed.push("arrivals of packets that cost no budget".into());
    }
    Ok(Certificate {
        version: 1,
        question: "the longest wait of a heartbeat that is in the queue".into(),
        of: facts.name.clone(),
        interleaved: facts.config.interleave,
        initiations: facts.initiations,
        bound_us: longest_us + ahead.packets * ahead.each_us + own_us,
        longest_us,
        segments,
        ahead,
        own_us,
        assumed,
    })
}
