//! The command: which mutants, tried how, printed in which form. Used by both programs that offer it.
//!
//! ```text
//!   --clause · --id · --in-diff · --shard · --iterate ──► list ──► --list, or trials
//!                                                                     └──► lines, --matrix, --json
//! ```
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};

use clap::Args;

use crate::alone;
use crate::baseline::BaselineError;
use crate::catalogue::{Catalogue, CatalogueError};
use crate::gather::{self, GatherError};
use crate::mutant::Mutant;
use crate::report::{self, Exit};
use crate::run::{self, Manner, Run, Verdict};
use crate::select::{self, ChoiceError, Shard};
use crate::subject::Subject;
use crate::{json, matrix};

/// What the command takes.
#[derive(Clone, Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are independent switches")]
pub struct Arguments {
    /// Prints the mutants and tries none.
    #[arg(long)]
    pub list: bool,
    /// Prints JSON in the schema of mutation-testing-elements, which its viewers open.
    #[arg(long)]
    pub json: bool,
    /// Only mutants of this clause, such as WG-DISCO-1.
    #[arg(long, value_name = "C")]
    pub clause: Option<String>,
    /// Only the mutant with this id, such as WG-DISCO-1/M1.
    #[arg(long)]
    pub id: Option<String>,
    /// Only mutants on lines that differ from this revision.
    #[arg(long, value_name = "REV")]
    pub in_diff: Option<String>,
    /// Only one of several parts, counted from 0, such as 0/4.
    #[arg(long, value_name = "INDEX/COUNT")]
    pub shard: Option<String>,
    /// Leaves out what the last run in this workspace found killed or equivalent.
    #[arg(long)]
    pub iterate: bool,
    /// Generated mutants too; they are listed apart and close no gate.
    #[arg(long)]
    pub generated: bool,
    /// Runs every test that reaches a mutant, and prints what each said.
    #[arg(long)]
    pub matrix: bool,
    /// Asks only tests with this in their path, such as `system::`: what would these alone notice?
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Builds each mutant by itself in an unwoven copy; slow, to check the woven verdicts.
    #[arg(long, conflicts_with_all = ["only", "matrix"])]
    pub rebuild: bool,
}

/// Why nothing was tried.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The catalogue cannot be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The catalogue does not fit the sources.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// A flag asks for what there is not.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// No such clause.
    #[error("there is no clause `{wanted}`; the nearest is `{nearest}`")]
    UnknownClause {
        /// The id asked for.
        wanted: String,
        /// The id that the fewest edits lead to.
        nearest: String,
    },
    /// The flags leave nothing.
    #[error("no mutant is meant; --list shows them all")]
    Nothing,
    /// Nothing may be judged.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// The result cannot be written.
    #[error("the result cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl CommandError {
    /// How the program ends.
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Catalogue(_)
            | Self::Gather(_)
            | Self::Choice(_)
            | Self::UnknownClause { .. }
            | Self::Nothing => Exit::Usage,
            Self::Baseline(BaselineError::Flaky(_)) => Exit::Flaky,
            Self::Baseline(BaselineError::Workshop(_)) | Self::Output(_) => Exit::Internal,
            Self::Baseline(
                BaselineError::Build(_) | BaselineError::Tests(_) | BaselineError::NoTest,
            ) => Exit::Baseline,
        }
    }
}

/// Carries the command out on a subject.
///
/// # Errors
/// [`CommandError`], when nothing was tried.
pub fn carry_out(
    arguments: &Arguments,
    subject: &Subject,
    out: &mut dyn Write,
) -> Result<Exit, CommandError> {
    let mutants = chosen(arguments, subject)?;
    if mutants.is_empty() {
        return Err(CommandError::Nothing);
    }
    if arguments.list {
        if arguments.json {
            writeln!(out, "{}", json::listed(&mutants, &subject.workspace))?;
        } else {
            for mutant in &mutants {
                writeln!(out, "{:<30}{}: {}", mutant.id, mutant.file.display(), mutant.what)?;
            }
        }
        return Ok(Exit::Met);
    }
    let said = |mutant: &Mutant, verdict: &Verdict| eprintln!("{}", report::line(mutant, verdict));
    let only = arguments.only.clone();
    let manner = Manner { matrix: arguments.matrix, only, ..Manner::default() };
    let run = if arguments.rebuild {
        alone::rebuild(subject, mutants, &said)?
    } else {
        run::run(subject, mutants, manner, &said)?
    };
    remember(&run, subject)?;
    if arguments.json {
        writeln!(out, "{}", json::judged(&run, &subject.workspace))?;
    } else {
        if arguments.matrix {
            writeln!(out, "{}", matrix::render(&run))?;
        }
        write!(out, "{}", report::summary(&run))?;
    }
    Ok(Exit::of(&run))
}

/// The mutants that the flags leave, in the order of the catalogue, generated ones behind.
///
/// # Errors
/// [`CommandError`].
pub fn chosen(arguments: &Arguments, subject: &Subject) -> Result<Vec<Mutant>, CommandError> {
    let shard = arguments.shard.as_deref().map(Shard::parse).transpose()?;
    if let Some(wanted) = &arguments.clause
        && !subject.clauses.contains(wanted)
    {
        let distance = |id: &&String| strsim::osa_distance(id, wanted);
        let nearest = subject.clauses.iter().min_by_key(distance).cloned().unwrap_or_default();
        return Err(CommandError::UnknownClause { wanted: wanted.clone(), nearest });
    }
    let touched = match &arguments.in_diff {
        Some(revision) => Some(select::changed_since(&subject.workspace, revision)?),
        None => None,
    };
    let settled = if arguments.iterate { remembered(subject) } else { BTreeSet::new() };
    let mut mutants = gather::written(subject, &Catalogue::read(&subject.catalogue)?)?;
    if arguments.generated {
        mutants.extend(gather::generated(subject));
    }
    mutants.retain(|mutant| {
        let text = || fs::read_to_string(subject.workspace.join(&mutant.file)).unwrap_or_default();
        arguments.clause.as_ref().is_none_or(|clause| mutant.clauses.contains(clause))
            && arguments.id.as_ref().is_none_or(|id| mutant.id == *id)
            && touched.as_ref().is_none_or(|it| select::is_touched(mutant, &text(), it))
            && !settled.contains(&mutant.id)
    });
    let mut position = 0..;
    mutants.retain(|_| {
        let at = position.next().unwrap_or(0);
        shard.is_none_or(|shard| shard.holds(at))
    });
    Ok(mutants)
}

const SETTLED: &str = "settled";

/// Writes down what needs no second look.
fn remember(run: &Run, subject: &Subject) -> io::Result<()> {
    let settled = run.verdicts.iter().filter(|verdict| verdict.outcome.kind().is_settled());
    let mut ids: BTreeSet<String> = remembered(subject);
    for verdict in &run.verdicts {
        ids.remove(&run.mutants[verdict.mutant].id);
    }
    ids.extend(settled.map(|verdict| run.mutants[verdict.mutant].id.clone()));
    let lines: String = ids.iter().flat_map(|id| [id.as_str(), "\n"]).collect();
    fs::write(subject.place.join(SETTLED), lines)
}

fn remembered(subject: &Subject) -> BTreeSet<String> {
    let text = fs::read_to_string(subject.place.join(SETTLED)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}
