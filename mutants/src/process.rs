//! Commands with a time limit, and what cargo and the test programs say on their output.
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exited {
        /// Whether it reported success.
        success: bool,
        /// Its standard output.
        output: String,
    },
    /// It was ended at the limit.
    TimedOut,
}

/// Runs a command to its end, at most for `limit`. Its standard error is thrown away.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Ended> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let stdout = child.stdout.take();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.map_or(Ok(0), |mut stdout| stdout.read_to_end(&mut bytes));
        let read = read.map(|_| bytes);
        // Nobody listens any more when the limit has passed.
        let _late = sender.send(read);
    });
    let Ok(read) = receiver.recv_timeout(limit) else {
        child.kill()?;
        child.wait()?;
        return Ok(Ended::TimedOut);
    };
    let output = String::from_utf8_lossy(&read?).into_owned();
    Ok(Ended::Exited { success: child.wait()?.success(), output })
}

/// The test programs that cargo reports in its JSON messages.
pub fn test_programs(messages: &str) -> Vec<PathBuf> {
    let program = |message: serde_json::Value| {
        let test = message["profile"]["test"].as_bool() == Some(true);
        message["executable"].as_str().filter(|_| test).map(PathBuf::from)
    };
    parsed(messages).filter_map(program).collect()
}

/// The first error that the compiler reports in cargo's JSON messages.
pub fn first_error(messages: &str) -> Option<String> {
    parsed(messages).find_map(|message| {
        let error = message["message"]["level"].as_str() == Some("error");
        message["message"]["message"].as_str().filter(|_| error).map(str::to_owned)
    })
}

fn parsed(messages: &str) -> impl Iterator<Item = serde_json::Value> {
    messages.lines().filter_map(|line| serde_json::from_str(line).ok())
}

/// The names of the tests that a test program reports as failed, without their modules.
pub fn failed_tests(output: &str) -> BTreeSet<String> {
    let failed = |line: &str| {
        let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
        let name = name.split(' ').next()?;
        name.rsplit("::").next().map(str::to_owned)
    };
    output.lines().filter_map(failed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn a_command_ends_by_itself_or_at_the_limit() {
        let ended = run(Command::new("cargo").arg("--version"), LONG).expect("cargo starts");
        assert!(
            matches!(ended, Ended::Exited { success: true, output } if output.contains("cargo"))
        );
        let ended = run(Command::new("cargo").arg("--no-such-flag"), LONG).expect("cargo starts");
        assert!(matches!(ended, Ended::Exited { success: false, .. }));
        let limit = Duration::ZERO;
        let ended = run(Command::new("cargo").arg("--version"), limit).expect("cargo starts");
        assert_eq!(ended, Ended::TimedOut);
        assert!(run(&mut Command::new("no-such-program"), LONG).is_err());
    }

    #[test]
    fn failed_tests_are_named_without_their_modules() {
        let output = "test a::b::first ... FAILED\ntest second ... ok\n\
            test third - should panic ... FAILED\ntest result: FAILED. 1 passed\n";
        let right = ["first", "third"].map(str::to_owned);
        assert_eq!(failed_tests(output), BTreeSet::from(right));
    }

    #[test]
    fn cargo_names_test_programs_and_the_first_error() {
        let messages = r#"
{"reason":"compiler-artifact","profile":{"test":false},"executable":"/x/tool"}
{"reason":"compiler-artifact","profile":{"test":true},"executable":"/x/it"}
{"reason":"compiler-message","message":{"level":"warning","message":"unused"}}
{"reason":"compiler-message","message":{"level":"error","message":"mismatched types"}}
{"reason":"build-finished","success":false}"#;
        assert_eq!(test_programs(messages), [PathBuf::from("/x/it")]);
        assert_eq!(first_error(messages).as_deref(), Some("mismatched types"));
        assert_eq!(first_error("no json"), None);
    }
}
