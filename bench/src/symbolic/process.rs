//! Runs a process to its end, or for as long as it may take.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What came of a process.
pub struct Ended {
    /// What it printed; nothing if it was ended because it took too long.
    pub output: Option<String>,
    /// On the clock, from its start to its end.
    pub seconds: f64,
}

/// Runs it; if it takes longer than that it is ended, with all that it started. Its status does not count: Boogie's says nothing.
pub fn run(command: &mut Command, limit: Duration) -> Result<Ended, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let begin = Instant::now();
    // In a group of its own, so that what it starts can be ended with it.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().map_err(|error| format!("{name} could not be run ({error})"))?;
    let group = libc::pid_t::try_from(child.id()).expect("a process id");
    let (done, waits) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let late = waits.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
        if late {
            // SAFETY: the child leads the group and is waited for only after this thread has ended, so the number is still its own.
            unsafe { libc::killpg(group, libc::SIGKILL) };
        }
        late
    });
    let mut output = Vec::new();
    let read = child.stdout.take().expect("it was piped").read_to_end(&mut output);
    drop(done);
    let late = watch.join().expect("it only waits");
    child.wait().map_err(|error| format!("{name} could not be waited for ({error})"))?;
    let seconds = begin.elapsed().as_secs_f64();
    read.map_err(|error| format!("the output of {name} could not be read ({error})"))?;
    let output = (!late).then(|| String::from_utf8_lossy(&output).into_owned());
    Ok(Ended { output, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_takes_too_long_is_ended_with_those_it_started() {
        let mut slow = Command::new("sh");
        slow.args(["-c", "sleep 600 & wait"]);
        let ended = run(&mut slow, Duration::from_millis(50)).expect("it runs");
        assert!(ended.output.is_none() && ended.seconds < 60.0);
    }

    #[test]
    fn output_is_what_it_prints() {
        let ended = run(Command::new("echo").arg("x"), Duration::from_secs(60)).expect("it runs");
        assert_eq!(ended.output.as_deref(), Some("x\n"));
        let missing = run(&mut Command::new("/no/such/program"), Duration::from_secs(60));
        assert!(missing.err().is_some_and(|error| error.contains("could not be run")));
    }
}
