//! Abstract machines as data: variables, guarded rules and claims, small enough for three engines.
//!
//! ```text
//!                                    ┌─ explored ─► our checker: verdicts and distinct states
//!   tables and enums of the cores ─► Machine ─ promela ──► Spin: verdicts and states stored
//!                                    └─ drawing ──► phase graph as DOT
//! ```
//!
//! A machine is written once, and every engine gets the same one: its text for Spin is printed from
//! the same rules that our checker interprets. So the numbers of states must be *equal*, and a
//! verdict that differs is a mistake in one of the two engines. What the machine leaves out of the
//! core is said by the module that makes it; a test of that module holds it against the core.
//!
//! One step of a machine is one rule: if the guard holds, the updates are made in their order, each
//! seeing those before it. That is what a `d_step` does in Promela.
pub mod drawing;
pub mod explored;
pub mod expression;
pub mod promela;

use crate::clause::Clause;
pub use expression::{Expression, Variable, all, any, between, is, not, of};

/// A machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its name: letters, digits and underscores.
    pub name: String,
    /// What it is a machine of, in lines of at most 90 columns.
    pub about: Vec<String>,
    /// Its variables, in the order of their bits.
    pub variables: Vec<Declared>,
    /// What can happen.
    pub rules: Vec<Rule>,
    /// What must hold; at most [`CLAIMS_MAX`].
    pub claims: Vec<Claim>,
    /// The variable whose values are the phases that a drawing shows.
    pub phase: Variable,
}

/// Claims that one machine may have.
pub const CLAIMS_MAX: usize = 16;

/// A variable of a machine.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its name, as Promela takes it.
    pub name: &'static str,
    /// Its values, 0 up to a greatest one or a name for each.
    pub values: Values,
    /// Its value at the beginning.
    pub first: u8,
    shift: u32,
}

/// The values of a variable.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// Numbers from 0 to this one.
    UpTo(u8),
    /// One name for each.
    Named(&'static [&'static str]),
}

impl Values {
    /// The greatest value.
    pub fn most(self) -> u8 {
        match self {
            Self::UpTo(most) => most,
            Self::Named(names) => {
                u8::try_from(names.len().saturating_sub(1)).expect("a variable has a few names")
            }
        }
    }

    fn bits(self) -> u32 {
        u8::BITS - self.most().leading_zeros()
    }
}

/// Something that can happen.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it is; unique in its machine, letters, digits and spaces.
    pub name: String,
    /// What kinds of event it is; [`Claims::On`] speaks of these.
    pub events: Vec<&'static str>,
    /// When it can happen.
    pub guard: Expression,
    /// What it changes, in order.
    pub updates: Vec<(Variable, Expression)>,
}

/// Something that must hold.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The claim as a sentence; unique in its machine.
    pub name: &'static str,
    /// The clause that demands it.
    pub clause: Clause,
    /// What is claimed.
    pub claims: Claims,
}

/// What a claim says.
#[derive(Clone, Debug)]
pub enum Claims {
    /// Whenever an event of this kind happens, the state before it is such.
    On {
        /// The kind of event.
        event: &'static str,
        /// What is true then.
        holds: Expression,
    },
    /// After each state of the first kind there comes one of the second, or it is one itself.
    Leads {
        /// What asks for it.
        from: Expression,
        /// What must come.
        to: Expression,
    },
}

impl Machine {
    /// A machine without variables, rules or claims. Its first variable is the phase.
    pub fn new(name: impl Into<String>, about: &[&str]) -> Self {
        Self {
            name: name.into(),
            about: about.iter().map(|&line| line.to_owned()).collect(),
            variables: Vec::new(),
            rules: Vec::new(),
            claims: Vec::new(),
            phase: Variable(0),
        }
    }

    /// Declares a variable with numbers from 0 to `most`, 0 at the beginning.
    pub fn number(&mut self, name: &'static str, most: u8) -> Variable {
        self.declare(name, Values::UpTo(most), 0)
    }

    /// Declares a variable with named values.
    pub fn named(
        &mut self,
        name: &'static str,
        names: &'static [&'static str],
        first: u8,
    ) -> Variable {
        self.declare(name, Values::Named(names), first)
    }

    /// Declares a variable.
    pub fn declare(&mut self, name: &'static str, values: Values, first: u8) -> Variable {
        let shift = self.variables.last().map_or(0, |last| last.shift + last.values.bits());
        assert!(shift + values.bits() <= u64::BITS, "a state is one word of 64 bits");
        assert!(first <= values.most(), "a variable begins with one of its values");
        self.variables.push(Declared { name, values, first, shift });
        Variable(self.variables.len() - 1)
    }

    /// Adds a rule.
    pub fn rule(
        &mut self,
        name: impl Into<String>,
        events: &[&'static str],
        guard: Expression,
        updates: Vec<(Variable, Expression)>,
    ) {
        self.rules.push(Rule { name: name.into(), events: events.to_vec(), guard, updates });
    }

    /// Claims that `holds` is true before each event of a kind.
    pub fn on(
        &mut self,
        name: &'static str,
        clause: Clause,
        event: &'static str,
        holds: Expression,
    ) {
        self.claims.push(Claim { name, clause, claims: Claims::On { event, holds } });
    }

    /// Claims that one kind of state leads to another.
    pub fn leads(&mut self, name: &'static str, clause: Clause, from: Expression, to: Expression) {
        self.claims.push(Claim { name, clause, claims: Claims::Leads { from, to } });
    }

    /// The state at the beginning.
    pub fn first(&self) -> u64 {
        let indices = 0..self.variables.len();
        indices.fold(0, |word, at| self.with(word, Variable(at), self.variables[at].first))
    }

    /// The value of a variable in a state.
    pub fn value(&self, word: u64, variable: Variable) -> u8 {
        let declared = &self.variables[variable.0];
        let mask = (1_u64 << declared.values.bits()) - 1;
        u8::try_from(word >> declared.shift & mask).expect("a variable has 8 bits at most")
    }

    /// The state with another value of a variable.
    fn with(&self, word: u64, variable: Variable, value: u8) -> u64 {
        let declared = &self.variables[variable.0];
        assert!(value <= declared.values.most(), "{} has no value {value}", declared.name);
        let mask = ((1_u64 << declared.values.bits()) - 1) << declared.shift;
        word & !mask | u64::from(value) << declared.shift
    }

    /// Hands each rule that a state allows to `each`, with the state that it leads to.
    pub fn step(&self, word: u64, each: &mut impl FnMut(usize, u64)) {
        for rule in 0..self.rules.len() {
            if let Some(next) = self.follow(word, rule) {
                each(rule, next);
            }
        }
    }

    /// The state to which the rule with this number leads; none where it is not allowed.
    pub fn follow(&self, word: u64, rule: usize) -> Option<u64> {
        let Rule { guard, updates, .. } = self.rules.get(rule)?;
        guard.is_true(self, word).then(|| {
            updates.iter().fold(word, |word, (variable, value)| {
                self.with(word, *variable, value.value(self, word))
            })
        })
    }

    /// The claims about events that some rule breaks which this state allows, by number.
    pub fn broken(&self, word: u64) -> Vec<usize> {
        let allowed = |rule: &&Rule| rule.guard.is_true(self, word);
        let rules: Vec<&Rule> = self.rules.iter().filter(allowed).collect();
        let breaks = |claim: &Claim| match &claim.claims {
            Claims::On { event, holds } => {
                rules.iter().any(|rule| rule.events.contains(event)) && !holds.is_true(self, word)
            }
            Claims::Leads { .. } => false,
        };
        (0..self.claims.len()).filter(|&number| breaks(&self.claims[number])).collect()
    }

    /// The variable with this number.
    pub fn variable(&self, number: usize) -> Variable {
        assert!(number < self.variables.len(), "a machine's variables are numbered from 0");
        Variable(number)
    }

    /// The name of a value of a variable.
    pub fn name_of(&self, variable: Variable, value: u8) -> String {
        match self.variables[variable.0].values {
            Values::UpTo(_) => value.to_string(),
            Values::Named(names) => {
                names.get(usize::from(value)).map_or_else(|| value.to_string(), |&it| it.to_owned())
            }
        }
    }
}
