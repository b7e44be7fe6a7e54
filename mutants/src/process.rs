//! Commands with a limit of real time: the last resort, for what no count of steps can end.
use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exited {
        /// Its exit code; none when a signal ended it.
        code: Option<i32>,
        /// Its standard output.
        output: String,
        /// Its standard error.
        errors: String,
    },
    /// It was ended at the limit.
    TimedOut,
}

/// Runs a command to its end, at most for `limit`.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Ended> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (output, errors) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let read = output.recv_timeout(limit);
    let Ok(output) = read else {
        child.kill()?;
        child.wait()?;
        return Ok(Ended::TimedOut);
    };
    // Whoever closes its output ends its errors too.
    let errors = errors.recv_timeout(limit).unwrap_or_else(|_| Ok(Vec::new()));
    let code = child.wait()?.code();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Ended::Exited { code, output: text(output?), errors: text(errors?) })
}

fn reader(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stream.map_or(Ok(0), |mut stream| stream.read_to_end(&mut bytes));
        // Nobody listens any more when the limit has passed.
        let _late = sender.send(read.map(|_| bytes));
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn a_command_ends_by_itself_or_at_the_limit() {
        let run = |flag: &str, limit| run(Command::new("cargo").arg(flag), limit);
        let ended = run("--version", LONG).expect("cargo starts");
        assert!(
            matches!(ended, Ended::Exited { code: Some(0), output, .. } if output.contains("cargo"))
        );
        let ended = run("--no-such-flag", LONG).expect("cargo starts");
        assert!(matches!(
            ended,
            Ended::Exited { code: Some(code), errors, .. } if code != 0 && !errors.is_empty()
        ));
        assert_eq!(run("--version", Duration::ZERO).expect("cargo starts"), Ended::TimedOut);
        assert!(super::run(&mut Command::new("no-such-program"), LONG).is_err());
    }
}
