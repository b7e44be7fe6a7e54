//! The real binary end to end: what it prints, where, and with which code it ends.
mod bad_input;
mod bound;
mod check;
mod found;
mod found_loop;
mod help;
mod import_export;
mod machines;
mod mutants;
mod read;
mod run;
mod run_examples;
mod trace;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A scenario of one second that holds.
const SMALL: &str = r#"(
    version: 1,
    title: "one second of strangers",
    duration_ms: 1000,
    preset: "ARM-1",
    costs: (table: "COSTS"),
    device: (tick_ms: exact),
    floods: [(name: "strangers", arrivals: even(rate_per_s: 600))],
    expect: [(metric: "virtual_s", value: 1, cites: "case 02")],
)"#;

/// The project's root, where the examples of the help are meant to be typed.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with a scenario in it.
struct Desk {
    folder: TempDir,
}

impl Desk {
    /// A folder with `text` as `storm.ron`; `COSTS` in it is a table that exists.
    fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("the system has room for a folder");
        let costs = root().join("scenarios/costs/og.ron").display().to_string();
        let desk = Self { folder };
        desk.write("storm.ron", text.replace("COSTS", &costs).as_bytes());
        desk
    }

    /// Follows a counterexample that `check` wrote: what it names is still violated.
    #[track_caller]
    fn follows(found: &str) {
        let desk = Self::with("");
        desk.write("found.ron", found.as_bytes());
        let ended = desk.run(&["check", "--replay", "found.ron"]).ends_with(1);
        assert!(ended.stdout.contains("violated "), "{}", ended.stdout);
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.folder.path().join(name), bytes).expect("the folder is ours");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_preflash"));
        command.args(args).current_dir(self.folder.path());
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        Ended::new(&self.command(args).output().expect("the binary starts"))
    }
}

/// How the program ended and what it said.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ended {
    fn new(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is text");
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        Self { code: output.status.code(), stdout, stderr }
    }

    #[track_caller]
    fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    #[track_caller]
    fn refuses(self, parts: &[&str]) {
        let ended = self.ends_with(2);
        assert_eq!(ended.stdout, "", "a refusal prints no result");
        for part in parts {
            assert!(ended.stderr.contains(part), "`{part}` is missing in:\n{}", ended.stderr);
        }
    }
}
