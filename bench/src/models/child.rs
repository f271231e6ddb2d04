//! Runs a program to its end and says what it took: every checker is measured in a process of its own, by the same means.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What a process took.
pub struct Spent {
    /// What it printed.
    pub output: String,
    /// CPU seconds, user and system, of all its threads.
    pub cpu: f64,
    /// Seconds on the clock, from its start to its end.
    pub wall: f64,
    /// The most memory that it had at a time, in bytes.
    pub peak: u64,
}

/// Runs it to its end; an error if it cannot be started or does not succeed.
pub fn run(command: &mut Command) -> Result<Spent, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let begin = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("{name} could not be run ({error})"))?;
    let mut output = String::new();
    let read = child.stdout.take().expect("it was piped").read_to_string(&mut output);
    let pid = libc::pid_t::try_from(child.id()).expect("a process id");
    let mut status = 0;
    // SAFETY: a structure of integers, for which zeros are values.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both places are ours and live through the call; the child is ours and nobody else waits for it.
    let waited = unsafe { libc::wait4(pid, &mut status, 0, &mut usage) };
    let wall = begin.elapsed().as_secs_f64();
    assert_eq!(waited, pid, "the child can be waited for");
    read.map_err(|error| format!("{name} printed what is no text ({error})"))?;
    if !libc::WIFEXITED(status) || libc::WEXITSTATUS(status) != 0 {
        return Err(format!("{name} failed (status {status:#x}): {}", output.trim_end()));
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    // In KiB on Linux.
    Ok(Spent { output, cpu, wall, peak: usage.ru_maxrss as u64 * 1024 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_costs_are_those_of_the_process() {
        let spent = run(Command::new("echo").arg("states=9")).expect("echo runs");
        assert_eq!(spent.output, "states=9\n");
        assert!(spent.wall > 0.0 && spent.peak > 0);
    }

    #[test]
    fn failures_are_named() {
        let failure = |command: &mut Command| run(command).err().expect("it fails");
        assert!(failure(&mut Command::new("false")).starts_with("false failed (status 0x100)"));
        assert!(failure(&mut Command::new("/no/such/program")).contains("could not be run"));
    }
}
