//! What guards, updates and claims are made of: small numbers and truths, printed as Promela.
use core::fmt;

use super::{Machine, Values};

/// A variable, by its place in the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable(pub(super) usize);

/// A number or a truth (not 0); what a machine computes fits 8 bits.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A number.
    Number(u8),
    /// The value of a variable.
    Of(Variable),
    /// Whether a variable has this value; printed with the value's name.
    Is(Variable, u8),
    /// Whether the first is less than the second.
    Less(Box<Self>, Box<Self>),
    /// Whether both are equal.
    Equal(Box<Self>, Box<Self>),
    /// Whether it is not so.
    Not(Box<Self>),
    /// Whether all are so; of none, it is so.
    All(Vec<Self>),
    /// Whether any is so; of none, it is not.
    Any(Vec<Self>),
    /// The sum.
    Sum(Box<Self>, Box<Self>),
    /// The difference, which must not be negative.
    Difference(Box<Self>, Box<Self>),
    /// The lesser of both.
    Least(Box<Self>, Box<Self>),
}

impl From<u8> for Expression {
    fn from(number: u8) -> Self {
        Self::Number(number)
    }
}

impl From<Variable> for Expression {
    fn from(variable: Variable) -> Self {
        Self::Of(variable)
    }
}

/// The value of a variable.
pub fn of(variable: Variable) -> Expression {
    Expression::Of(variable)
}

/// Whether a variable has this value.
pub fn is(variable: Variable, value: impl Into<u8>) -> Expression {
    Expression::Is(variable, value.into())
}

/// Whether it is not so.
pub fn not(it: Expression) -> Expression {
    Expression::Not(Box::new(it))
}

/// Whether all are so.
pub fn all(them: impl IntoIterator<Item = Expression>) -> Expression {
    Expression::All(them.into_iter().collect())
}

/// Whether any is so.
pub fn any(them: impl IntoIterator<Item = Expression>) -> Expression {
    Expression::Any(them.into_iter().collect())
}

/// Whether a variable has one of these values.
pub fn between(variable: Variable, values: impl IntoIterator<Item = u8>) -> Expression {
    any(values.into_iter().map(|value| is(variable, value)))
}

impl Expression {
    /// Whether it is less than the other.
    #[must_use]
    pub fn less(self, other: impl Into<Self>) -> Self {
        Self::Less(Box::new(self), Box::new(other.into()))
    }

    /// Whether it equals the other.
    #[must_use]
    pub fn equals(self, other: impl Into<Self>) -> Self {
        Self::Equal(Box::new(self), Box::new(other.into()))
    }

    /// The sum with the other.
    #[must_use]
    pub fn plus(self, other: impl Into<Self>) -> Self {
        Self::Sum(Box::new(self), Box::new(other.into()))
    }

    /// What is left of it without the other.
    #[must_use]
    pub fn minus(self, other: impl Into<Self>) -> Self {
        Self::Difference(Box::new(self), Box::new(other.into()))
    }

    /// The lesser of it and the other.
    #[must_use]
    pub fn at_most(self, other: impl Into<Self>) -> Self {
        Self::Least(Box::new(self), Box::new(other.into()))
    }

    /// Its value in a state.
    pub fn value(&self, machine: &Machine, word: u64) -> u8 {
        let value = |it: &Self| it.value(machine, word);
        match self {
            Self::Number(number) => *number,
            Self::Of(variable) => machine.value(word, *variable),
            Self::Is(variable, wanted) => u8::from(machine.value(word, *variable) == *wanted),
            Self::Less(one, two) => u8::from(value(one) < value(two)),
            Self::Equal(one, two) => u8::from(value(one) == value(two)),
            Self::Not(it) => u8::from(value(it) == 0),
            Self::All(them) => u8::from(them.iter().all(|it| value(it) != 0)),
            Self::Any(them) => u8::from(them.iter().any(|it| value(it) != 0)),
            Self::Sum(one, two) => {
                value(one).checked_add(value(two)).expect("the numbers of a machine are small")
            }
            Self::Difference(one, two) => {
                value(one).checked_sub(value(two)).expect("a difference is not negative")
            }
            Self::Least(one, two) => value(one).min(value(two)),
        }
    }

    /// Whether it is so in a state.
    pub fn is_true(&self, machine: &Machine, word: u64) -> bool {
        self.value(machine, word) != 0
    }

    /// Whether it can be so while a variable has this value; `false` only when it surely cannot.
    pub(super) fn allows(&self, variable: Variable, value: u8) -> bool {
        match self {
            Self::Is(of, wanted) => *of != variable || *wanted == value,
            Self::All(them) => them.iter().all(|it| it.allows(variable, value)),
            Self::Any(them) => them.iter().any(|it| it.allows(variable, value)),
            _ => true,
        }
    }

    /// Writes it as Promela.
    pub(super) fn write(&self, machine: &Machine, out: &mut String) -> fmt::Result {
        use fmt::Write as _;
        let name = |variable: &Variable| machine.variables[variable.0].name;
        let pair = |out: &mut String, one: &Self, sign: &str, two: &Self| {
            out.push('(');
            one.write(machine, out)?;
            write!(out, " {sign} ")?;
            two.write(machine, out)?;
            out.push(')');
            Ok(())
        };
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Of(variable) => write!(out, "{}", name(variable)),
            Self::Is(variable, value) => match machine.variables[variable.0].values {
                Values::UpTo(_) => write!(out, "({} == {value})", name(variable)),
                Values::Named(_) => {
                    let value = machine.name_of(*variable, *value);
                    write!(out, "({0} == {0}_{value})", name(variable))
                }
            },
            Self::Less(one, two) => pair(out, one, "<", two),
            Self::Equal(one, two) => pair(out, one, "==", two),
            Self::Not(it) => {
                out.push('!');
                it.write(machine, out)
            }
            Self::All(them) => list(machine, out, them, " && ", "true"),
            Self::Any(them) => list(machine, out, them, " || ", "false"),
            Self::Sum(one, two) => pair(out, one, "+", two),
            Self::Difference(one, two) => pair(out, one, "-", two),
            Self::Least(one, two) => {
                out.push('(');
                pair(out, one, "<", two)?;
                out.push_str(" -> ");
                one.write(machine, out)?;
                out.push_str(" : ");
                two.write(machine, out)?;
                out.push(')');
                Ok(())
            }
        }
    }
}

fn list(
    machine: &Machine,
    out: &mut String,
    them: &[Expression],
    sign: &str,
    none: &str,
) -> fmt::Result {
    match them {
        [] => out.push_str(none),
        [only] => only.write(machine, out)?,
        _ => {
            out.push('(');
            for (index, it) in them.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { sign });
                it.write(machine, out)?;
            }
            out.push(')');
        }
    }
    Ok(())
}
