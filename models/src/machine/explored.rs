//! A machine as a model of our checker.
use super::{CLAIMS_MAX, Claim, Claims, Expression, Machine, Variable};
use crate::checker::Model;
use crate::checker::codec::Packed;
use crate::property::{EVENTUALLY, Property, Rule};

/// What of a machine is explored.
#[derive(Clone, Debug)]
pub struct Explored<'a> {
    machine: &'a Machine,
    /// The one claim of the kind [`Claims::Leads`] that is judged; else those of the other kind.
    leads: Option<usize>,
    /// For each rule the claims of the other kind that speak of it.
    about: Vec<Vec<(usize, &'a Expression)>>,
    /// For each phase the rules that it does not rule out.
    rules: Vec<Vec<usize>>,
}

/// What is seen of a transition: a bit for each claim.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    broken: u16,
    /// Of [`Claims::On`]: the event has happened; of [`Claims::Leads`]: it is asked for.
    occasion: u16,
    come: u16,
}

impl<'a> Explored<'a> {
    /// Every claim about events. As nothing is remembered, states are the machine's own.
    pub fn events(machine: &'a Machine) -> Self {
        let about = machine.rules.iter().map(|rule| {
            let speaks = |(number, claim): (usize, &'a Claim)| match &claim.claims {
                Claims::On { event, holds } => {
                    rule.events.contains(event).then_some((number, holds))
                }
                Claims::Leads { .. } => None,
            };
            machine.claims.iter().enumerate().filter_map(speaks).collect()
        });
        Self { machine, leads: None, about: about.collect(), rules: by_phase(machine) }
    }

    /// The one claim with this number, which says that something must come.
    pub fn leads(machine: &'a Machine, claim: usize) -> Self {
        Self { machine, leads: Some(claim), about: Vec::new(), rules: by_phase(machine) }
    }

    fn is_judged(&self, claim: usize) -> bool {
        match self.machine.claims[claim].claims {
            Claims::On { .. } => self.leads.is_none(),
            Claims::Leads { .. } => self.leads == Some(claim),
        }
    }
}

/// Most guards begin with the phase: only the rules that a phase allows are asked in it.
fn by_phase(machine: &Machine) -> Vec<Vec<usize>> {
    let allowed = |phase: u8| {
        let rules = machine.rules.iter().enumerate();
        let allows = |rule: &super::Rule| rule.guard.allows(machine.phase, phase);
        rules.filter(|(_, rule)| allows(rule)).map(|(number, _)| number).collect()
    };
    let phases = machine.variables.get(machine.phase.0).map_or(0, |phase| phase.values.most());
    (0..=phases).map(allowed).collect()
}

/// The questions to a transition about the claim with this number: a property holds functions, not
/// closures, so each number has its own.
struct About {
    kept: fn(&Seen) -> bool,
    occasion: fn(&Seen) -> bool,
    come: fn(&Seen) -> bool,
}

const fn about<const CLAIM: usize>() -> About {
    About {
        kept: |seen| seen.broken & 1 << CLAIM == 0,
        occasion: |seen| seen.occasion & 1 << CLAIM != 0,
        come: |seen| seen.come & 1 << CLAIM != 0,
    }
}

const ABOUT: [About; CLAIMS_MAX] = [
    about::<0>(),
    about::<1>(),
    about::<2>(),
    about::<3>(),
    about::<4>(),
    about::<5>(),
    about::<6>(),
    about::<7>(),
    about::<8>(),
    about::<9>(),
    about::<10>(),
    about::<11>(),
    about::<12>(),
    about::<13>(),
    about::<14>(),
    about::<15>(),
];

/// The names of the events as occasions.
const OCCASIONS: [&str; CLAIMS_MAX] = [
    "occasion 0",
    "occasion 1",
    "occasion 2",
    "occasion 3",
    "occasion 4",
    "occasion 5",
    "occasion 6",
    "occasion 7",
    "occasion 8",
    "occasion 9",
    "occasion 10",
    "occasion 11",
    "occasion 12",
    "occasion 13",
    "occasion 14",
    "occasion 15",
];

impl Model for Explored<'_> {
    type State = u64;
    /// The number of a rule.
    type Action = usize;
    type Seen = Seen;
    type Codec = Packed<u64>;

    fn codec(&self) -> Packed<u64> {
        Packed::default()
    }

    fn initial(&self) -> Vec<u64> {
        vec![self.machine.first()]
    }

    fn successors(&self, state: &u64, each: &mut impl FnMut(usize, u64)) {
        let phase = self.machine.value(*state, self.machine.phase);
        for &rule in self.rules.get(usize::from(phase)).into_iter().flatten() {
            if let Some(next) = self.machine.follow(*state, rule) {
                each(rule, next);
            }
        }
    }

    fn observe(&self, step: Option<(&u64, &usize)>, after: &u64) -> Seen {
        let machine = self.machine;
        let mut seen = Seen::default();
        if let Some((before, rule)) = step
            && let Some(about) = self.about.get(*rule)
        {
            for (number, holds) in about {
                seen.occasion |= 1 << number;
                seen.broken |= u16::from(!holds.is_true(machine, *before)) << number;
            }
        }
        if let Some(number) = self.leads
            && let Claims::Leads { from, to } = &machine.claims[number].claims
        {
            seen.occasion |= u16::from(from.is_true(machine, *after)) << number;
            seen.come |= u16::from(to.is_true(machine, *after)) << number;
        }
        seen
    }

    fn properties(&self) -> Vec<Property<Seen>> {
        let mut properties = Vec::new();
        for (number, claim) in self.machine.claims.iter().enumerate() {
            if !self.is_judged(number) {
                continue;
            }
            let About { kept, occasion, come } = ABOUT[number];
            let property = |name, rule| Property { name, clause: claim.clause, rule };
            match claim.claims {
                Claims::On { .. } => {
                    let premise = OCCASIONS[number];
                    let always = Rule::Always { holds: kept, premise: Some(premise) };
                    properties.push(property(claim.name, always));
                    properties.push(property(premise, Rule::Sometimes { holds: occasion }));
                }
                Claims::Leads { .. } => {
                    let within = Rule::Within { limit: EVENTUALLY, trigger: occasion, goal: come };
                    properties.push(property(claim.name, within));
                }
            }
        }
        properties
    }

    fn describe(&self, state: &u64) -> Vec<(String, String)> {
        let named = |(at, declared): (usize, &super::Declared)| {
            let variable = Variable(at);
            let value = self.machine.value(*state, variable);
            (declared.name.to_owned(), self.machine.name_of(variable, value))
        };
        self.machine.variables.iter().enumerate().map(named).collect()
    }

    fn word(&self, action: &usize) -> String {
        self.machine.rules[*action].name.clone()
    }
}
