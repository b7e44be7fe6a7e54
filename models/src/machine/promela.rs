//! The text of a machine for Spin.
//!
//! ```text
//!   variables ──► globals                rules ──► one process, one `do`, a `d_step` for each rule
//!   Claims::On ──► assert in the rules   Claims::Leads ──► an `ltl` block each
//! ```
//!
//! A `d_step` is one transition, and the process always waits at the same `do`. So a state of Spin is
//! the values of the variables and nothing else, and "states, stored" counts what our checker counts.
//!
//! An assertion has the number of its claim in it (`BROKEN(3)` is never true), because Spin reports
//! the text of what failed and nothing else. To be run exactly, without any reduction:
//!
//! ```text
//!   spin -a X.pml && cc -O2 -DNOREDUCE -DNOFAIR -o pan pan.c
//!   ./pan -c0 -E -m100000 -N everything          assertions, and the number of states
//!   ./pan -a -A -E -m100000 -N claim_7           one claim about what comes some day
//! ```
//!
//! Where there are claims Spin always follows one of them. `everything` allows whatever happens in a
//! single state of its own, so that the states are the machine's, and one compiled program is enough.
use core::fmt::{self, Write as _};

use super::{Claims, Machine, Rule, Values};
use crate::clause::Clause;

impl Machine {
    /// The machine in Promela.
    pub fn promela(&self) -> String {
        let mut out = String::new();
        self.write_promela(&mut out).expect("a string takes everything");
        out
    }

    fn write_promela(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "/* {}", self.name)?;
        for line in &self.about {
            writeln!(out, " * {line}")?;
        }
        writeln!(out, " *\n * Generated: a test holds it against the machine.\n */\n")?;
        for declared in &self.variables {
            if let Values::Named(names) = declared.values {
                for (value, name) in names.iter().enumerate() {
                    writeln!(out, "#define {}_{name} {value}", declared.name)?;
                }
            }
        }
        writeln!(out, "\n/* Never true: the number stands in Spin's message. */")?;
        writeln!(out, "#define BROKEN(claim) (claim == 99)\n")?;
        for declared in &self.variables {
            let (name, first) = (declared.name, declared.first);
            let (kind, most) = match declared.values.most() {
                1 => ("bit", 1),
                most => ("byte", most),
            };
            writeln!(out, "{kind} {name} = {first};  /* 0..{most} */")?;
        }
        writeln!(out, "\nactive proctype machine() {{\n    do")?;
        for rule in &self.rules {
            self.write_rule(out, rule)?;
        }
        writeln!(out, "    od\n}}\n\nnever everything {{ do :: true od }}")?;
        for (number, claim) in self.claims.iter().enumerate() {
            if let Claims::Leads { from, to } = &claim.claims {
                comment(out, "", claim.clause, claim.name)?;
                write!(out, "ltl claim_{number} {{ [] (!(")?;
                from.write(self, out)?;
                out.push_str(") || <> (");
                to.write(self, out)?;
                out.push_str(")) }\n");
            }
        }
        Ok(())
    }

    fn write_rule(&self, out: &mut String, rule: &Rule) -> fmt::Result {
        writeln!(out, "    :: d_step {{ /* {} */", rule.name)?;
        out.push_str("        ");
        rule.guard.write(self, out)?;
        out.push_str(" ->\n");
        for (number, claim) in self.claims.iter().enumerate() {
            if let Claims::On { event, holds } = &claim.claims
                && rule.events.contains(event)
            {
                comment(out, "        ", claim.clause, claim.name)?;
                write!(out, "        assert(BROKEN({number}) || ")?;
                holds.write(self, out)?;
                out.push_str(");\n");
            }
        }
        for (variable, value) in &rule.updates {
            write!(out, "        {} = ", self.variables[variable.0].name)?;
            value.write(self, out)?;
            out.push_str(";\n");
        }
        out.push_str(if rule.updates.is_empty() { "        skip\n" } else { "" });
        writeln!(out, "    }}")
    }
}

fn comment(out: &mut String, indent: &str, clause: Clause, name: &str) -> fmt::Result {
    let gap = if indent.is_empty() { "\n" } else { "" };
    writeln!(out, "{gap}{indent}/* {}: {name} */", clause.id())
}
