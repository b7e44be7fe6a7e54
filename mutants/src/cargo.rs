//! Building the copy, and what the build tool says about it.
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::process::{self, Ended};
use crate::subject::{Part, Subject};

/// A program with tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// The folder of its package, relative to the workspace; it runs there.
    pub folder: PathBuf,
    /// `lib` for the tests inside `src`, else the name of the file or folder in `tests`.
    pub target: String,
}

/// Something that the compiler does not accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// What it says.
    pub message: String,
    /// The places it points at, the first one first: file relative to the workspace, and bytes.
    pub places: Vec<(PathBuf, Range<usize>)>,
}

/// How a build ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Built {
    /// The test programs.
    Programs(Vec<Program>),
    /// What is wrong; at least one complaint.
    Broken(Vec<Complaint>),
}

/// The longest that a build may take.
const LONGEST: Duration = Duration::from_mins(20);

/// Whether a build may use what the compiler remembers of the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// It may not: pieces of a build that was ended halfway, or of other mutants' versions of one
    /// body, do not fit together.
    None,
    /// It may: the sources differ from the last ones by one mutant.
    LastBuild,
}

/// Builds the test programs of these parts in `copy`.
///
/// # Errors
/// When cargo cannot be started.
pub fn build(subject: &Subject, copy: &Path, parts: &[&Part], memory: Memory) -> io::Result<Built> {
    let mut programs = Vec::new();
    let (whole, inner): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(|it| it.integration);
    for (chosen, targets) in [(whole, &["--lib", "--tests"][..]), (inner, &["--lib"][..])] {
        if chosen.is_empty() {
            continue;
        }
        let mut command = Command::new("cargo");
        command.current_dir(copy).args(["test", "--no-run", "--offline"]).args(targets);
        command.env("CARGO_INCREMENTAL", if memory == Memory::None { "0" } else { "1" });
        command.arg("--message-format=json").arg("--target-dir").arg(&subject.builds);
        for part in &chosen {
            command.args(["--package", &part.package]);
        }
        for part in &subject.parts {
            // Nobody steps through a copy with a debugger.
            command.arg("--config").arg(format!("profile.dev.package.{}.debug=0", part.package));
        }
        match process::run(&mut command, LONGEST)? {
            Ended::Exited { code: Some(0), output, .. } => {
                programs.extend(test_programs(&output, copy));
            }
            Ended::Exited { output, errors, .. } => {
                let mut complaints = complaints(&output);
                if complaints.is_empty() {
                    let last = errors.lines().rev().find(|line| !line.trim().is_empty());
                    let message = last.unwrap_or("cargo says nothing").to_owned();
                    complaints.push(Complaint { message, places: vec![] });
                }
                return Ok(Built::Broken(complaints));
            }
            Ended::TimedOut => {
                let message = "the compiler does not come to an end".to_owned();
                return Ok(Built::Broken(vec![Complaint { message, places: vec![] }]));
            }
        }
    }
    programs.sort();
    Ok(Built::Programs(programs))
}

/// The test programs that cargo reports in its JSON messages.
fn test_programs(messages: &str, copy: &Path) -> Vec<Program> {
    let program = |message: Value| {
        let test = message["profile"]["test"].as_bool() == Some(true);
        let path = message["executable"].as_str().filter(|_| test)?;
        let manifest = Path::new(message["manifest_path"].as_str()?);
        // The copy may be named by another path to the same folder.
        let copy = copy.canonicalize().unwrap_or_else(|_| copy.to_owned());
        let folder = manifest.parent()?;
        let library = message["target"]["kind"].as_array()?.iter().any(|kind| kind != "test");
        let name = message["target"]["name"].as_str()?;
        Some(Program {
            path: path.into(),
            folder: folder.strip_prefix(&copy).unwrap_or(folder).to_owned(),
            target: if library { "lib" } else { name }.to_owned(),
        })
    };
    parsed(messages).filter_map(program).collect()
}

/// The errors that the compiler reports in cargo's JSON messages.
fn complaints(messages: &str) -> Vec<Complaint> {
    let complaint = |message: Value| {
        let inner = &message["message"];
        let error = inner["level"].as_str() == Some("error");
        let text = inner["message"].as_str().filter(|_| error)?;
        let spans = inner["spans"].as_array()?;
        let place = |span: &Value| {
            let end = |name: &str| usize::try_from(span[name].as_u64()?).ok();
            Some((span["file_name"].as_str()?.into(), end("byte_start")?..end("byte_end")?))
        };
        let (first, others): (Vec<&Value>, Vec<&Value>) =
            spans.iter().partition(|span| span["is_primary"].as_bool() == Some(true));
        let places: Vec<_> = first.into_iter().chain(others).filter_map(place).collect();
        // Without a place only the long form says what is wrong.
        let long = inner["rendered"].as_str().filter(|_| places.is_empty()).unwrap_or(text);
        (!text.starts_with("aborting due to"))
            .then(|| Complaint { message: long.to_owned(), places })
    };
    parsed(messages).filter_map(complaint).collect()
}

fn parsed(messages: &str) -> impl Iterator<Item = Value> {
    messages.lines().filter_map(|line| serde_json::from_str(line).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_names_test_programs_with_their_packages() {
        let messages = r#"
{"profile":{"test":false},"executable":"/x/tool","manifest_path":"/c/a/Cargo.toml"}
{"profile":{"test":true},"executable":"/x/it-1","manifest_path":"/c/a/Cargo.toml","target":{"kind":["test"],"name":"it"}}
{"profile":{"test":true},"executable":"/x/a-1","manifest_path":"/c/a/Cargo.toml","target":{"kind":["lib"],"name":"a"}}
{"reason":"build-finished","success":false}"#;
        let named = |path: &str, target: &str| Program {
            path: path.into(),
            folder: "a".into(),
            target: target.into(),
        };
        let right = [named("/x/it-1", "it"), named("/x/a-1", "lib")];
        assert_eq!(test_programs(messages, Path::new("/c")), right);
    }

    #[test]
    fn an_error_is_told_with_its_places_and_a_warning_is_not() {
        let messages = r#"
{"message":{"level":"warning","message":"unused","spans":[]}}
{"message":{"level":"error","message":"mismatched types","spans":[
 {"file_name":"src/b.rs","byte_start":9,"byte_end":10,"is_primary":false},
 {"file_name":"src/a.rs","byte_start":3,"byte_end":7,"is_primary":true}]}}
{"message":{"level":"error","message":"aborting due to 1 previous error","spans":[]}}"#
            .replace("[\n", "[")
            .replace("},\n", "},");
        let right = Complaint {
            message: "mismatched types".to_owned(),
            places: vec![("src/a.rs".into(), 3..7), ("src/b.rs".into(), 9..10)],
        };
        assert_eq!(complaints(&messages), [right]);
        assert_eq!(complaints("no json"), []);
    }
}
