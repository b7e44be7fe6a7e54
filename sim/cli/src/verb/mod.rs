//! One file per verb. Each gives the way it ended, or a refusal of its input.
pub(crate) mod bound;
pub(crate) mod check;
pub(crate) mod clauses;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod mutants;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod trace;

use std::io::{ErrorKind, Write, stdout};

use crate::refusal::{Plain, Refusal};

/// Writes a result. A reader that has seen enough is no error.
fn print(text: &str) -> Result<(), Refusal> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Plain::refuse(format!("the result cannot be written: {error}"), "free some space"))
        }
        _ => Ok(()),
    }
}
