//! Boogie's side: the sequential program as Boogie text, and Debian's Boogie and Z3 on it, as a process.
//!
//! The options are those that the head of the text names: the best that were found. All that the process takes counts, its start and Z3
//! among it, since that is how it is used; writing the text does not. Loops are followed no further than needed.

use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use caissa_model::emit::{self, Bounds};
use caissa_model::ir::Program;

/// The most memory for Z3, in MB.
const PROVER_MEMORY: u32 = 4_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An assertion can fail.
    Error,
    /// None can, within the bounds.
    Verified,
    /// There was no answer in time, or memory was short.
    Undecided,
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Error => "error",
            Verdict::Verified => "verified",
            Verdict::Undecided => "undecided",
        }
    }
}

/// An answer, and what it took.
#[derive(Clone, Debug)]
pub struct Decided {
    pub verdict: Verdict,
    /// CPU seconds of Boogie and Z3.
    pub cpu: f64,
    /// Seconds on the clock.
    pub wall: f64,
}

/// The versions of Boogie and Z3; an error that says what is missing.
pub fn versions() -> Result<String, String> {
    let first = |program: &str, option: &str| {
        let output = Command::new(program).arg(option).output();
        let output = output
            .map_err(|_| "Boogie and Z3 are not both installed: `apt-get install boogie z3`".to_owned())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok::<String, String>(text.lines().next().unwrap_or("unknown").to_owned())
    };
    // Boogie tells its version before it complains that there is no file.
    let boogie = first("boogie", "/version")?;
    Ok(format!("{}; {}", boogie.split(',').next().unwrap_or_default(), first("z3", "--version")?))
}

/// A file that goes when it is not needed any more.
struct Scratch(PathBuf);

impl Scratch {
    fn new(text: &str) -> Result<Scratch, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("caissa-bench-{}-{number}.bpl", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Asks Boogie about a sequential program.
pub fn decide(program: &Program, bounds: Bounds, limit: Duration) -> Result<Decided, String> {
    let text = emit::boogie(program, bounds);
    let file = Scratch::new(&text)?;
    let line = text.lines().find_map(|line| line.strip_prefix("//   boogie "));
    let options = line.and_then(|line| line.strip_suffix(" FILE.bpl")).expect("the head says how it is called");
    let mut command = Command::new("boogie");
    command.args(options.split(' ')).args(["/nologo", "/errorTrace:0"]);
    command.arg(format!("/proverMemoryLimit:{PROVER_MEMORY}")).arg(&file.0);
    let (output, cpu, wall) = run(&mut command, limit)?;
    let verdict = match output {
        None => Verdict::Undecided,
        Some(output) => parse(&output)?,
    };
    Ok(Decided { verdict, cpu, wall })
}

/// What it prints, or nothing if it was ended after so long; CPU seconds and those on the clock.
fn run(command: &mut Command, limit: Duration) -> Result<(Option<String>, f64, f64), String> {
    let begin = Instant::now();
    // In a group of its own, so that Z3 ends with it.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().map_err(|error| format!("Boogie could not be run ({error})"))?;
    let pid = libc::pid_t::try_from(child.id()).expect("a process id");
    let (done, waits) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let late = waits.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
        if late {
            // SAFETY: the child leads the group and is waited for only after this thread has ended, so the number is still its own.
            unsafe { libc::killpg(pid, libc::SIGKILL) };
        }
        late
    });
    let mut output = Vec::new();
    let read = child.stdout.take().expect("it was piped").read_to_end(&mut output);
    drop(done);
    let late = watch.join().expect("it only waits");
    let mut status = 0;
    // SAFETY: a structure of integers, for which zeros are values.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both places are ours and live through the call; the child is ours and nobody else waits for it.
    let waited = unsafe { libc::wait4(pid, &mut status, 0, &mut usage) };
    let wall = begin.elapsed().as_secs_f64();
    assert_eq!(waited, pid, "the child can be waited for");
    read.map_err(|error| format!("Boogie's output could not be read ({error})"))?;
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    Ok(((!late).then(|| String::from_utf8_lossy(&output).into_owned()), cpu, wall))
}

/// The verdict is in the last line.
fn parse(output: &str) -> Result<Verdict, String> {
    let last = output.lines().rev().find_map(|line| line.strip_prefix("Boogie program verifier finished with "));
    match last {
        Some("1 verified, 0 errors") => Ok(Verdict::Verified),
        Some("0 verified, 1 error") => Ok(Verdict::Error),
        Some(other) if other.contains("time out") || other.contains("out of memory") => Ok(Verdict::Undecided),
        Some(other) if other.contains("inconclusive") => Ok(Verdict::Undecided),
        _ if output.contains("OutOfMemory") || output.contains("out of memory") => Ok(Verdict::Undecided),
        _ => Err(format!("Boogie gives no verdict: {}", output.trim_end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read() {
        let says = |last: &str| parse(&format!("Prover error\nBoogie program verifier finished with {last}\n"));
        assert_eq!(says("1 verified, 0 errors"), Ok(Verdict::Verified));
        assert_eq!(says("0 verified, 1 error"), Ok(Verdict::Error));
        assert_eq!(says("0 verified, 0 errors, 1 time out"), Ok(Verdict::Undecided));
        assert!(says("0 verified, 0 errors").is_err());
        assert!(parse("1 parse errors detected").is_err());
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended_with_those_it_started() {
        let mut slow = Command::new("sh");
        slow.args(["-c", "sleep 600 & wait"]);
        let (output, _, wall) = run(&mut slow, Duration::from_millis(50)).expect("it runs");
        assert!(output.is_none() && wall < 60.0);
        let (output, ..) = run(Command::new("echo").arg("x"), Duration::from_secs(60)).expect("it runs");
        assert_eq!(output.as_deref(), Some("x\n"));
    }
}
