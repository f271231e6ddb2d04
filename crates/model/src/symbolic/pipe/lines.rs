//! The three pipes of another process, served without blocking.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::reply::{self, Scan};
use crate::symbolic::decide::Trouble;

/// The longest wait before the flag is looked at again.
const WAIT: Duration = Duration::from_millis(20);
/// How long a process that has closed its output may take to end by itself, so that its status can be told.
const GRACE: Duration = Duration::from_millis(200);
/// The longest reply that is read to its end.
const REPLY: usize = 1 << 26;
/// How much of the standard error, and of nonsense, is kept.
const TAIL: usize = 1000;

/// Another process and what goes to and fro.
pub(super) struct Talk {
    command: String,
    child: Child,
    /// `None` when the process does not read it any more.
    stdin: Option<ChildStdin>,
    /// `None` at its end.
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// What must still be written, from `written` on.
    waiting: Vec<u8>,
    written: usize,
    sent: u64,
    /// What has been read and not taken.
    said: Vec<u8>,
    errors: Vec<u8>,
}

impl Talk {
    /// Starts a process.
    pub(super) fn start(command: &str) -> Result<Talk, Trouble> {
        let missing = |why: String| Trouble::Missing { command: command.to_owned(), why };
        let arguments = reply::arguments(command);
        let [program, arguments @ ..] = arguments.as_slice() else {
            return Err(missing("no program is named; use --solver \"z3 -in\", or batsat".to_owned()));
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| missing(format!("{error}; is it installed and on the path?")))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let talk = Talk {
            command: command.to_owned(),
            child,
            stdin,
            stdout,
            stderr,
            waiting: Vec::new(),
            written: 0,
            sent: 0,
            said: Vec::new(),
            errors: Vec::new(),
        };
        let ends = [
            talk.stdin.as_ref().map(AsFd::as_fd),
            talk.stdout.as_ref().map(AsFd::as_fd),
            talk.stderr.as_ref().map(AsFd::as_fd),
        ];
        for end in ends.into_iter().flatten() {
            rustix::io::ioctl_fionbio(end, true)
                .map_err(|error| missing(format!("{error}; is it installed and on the path?")))?;
        }
        Ok(talk)
    }

    pub(super) fn command(&self) -> &str {
        &self.command
    }

    pub(super) fn bytes_waiting(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(super) fn bytes_sent(&self) -> u64 {
        self.sent
    }

    /// Has a text sent. It goes out while a reply is waited for.
    pub(super) fn send(&mut self, text: &str) {
        self.sent += text.len() as u64;
        self.waiting.extend_from_slice(text.as_bytes());
    }

    /// The next expression that the process says, except `success`.
    pub(super) fn reply(&mut self, deadline: Duration, stop: &AtomicBool) -> Result<String, Trouble> {
        let start = Instant::now();
        let mut scan = Scan::default();
        loop {
            if let Some((start, end)) = scan.first(&self.said, self.stdout.is_none()) {
                let reply = String::from_utf8_lossy(&self.said[start..end]).into_owned();
                self.said.drain(..end);
                if reply != "success" {
                    return Ok(reply);
                }
                scan = Scan::default();
                continue;
            }
            if self.stdout.is_none() {
                return Err(self.died());
            }
            if self.said.len() > REPLY {
                return Err(self.nonsense(&String::from_utf8_lossy(&self.said[..TAIL])));
            }
            if stop.load(Ordering::Relaxed) {
                return Err(Trouble::Stopped);
            }
            let left = deadline.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Err(Trouble::Hung { command: self.command.clone(), deadline });
            }
            self.serve(left.min(WAIT));
        }
    }

    /// That what was said makes no sense.
    pub(super) fn nonsense(&self, said: &str) -> Trouble {
        let said = said.chars().take(TAIL).collect();
        Trouble::Nonsense { command: self.command.clone(), said }
    }

    /// Ends the process.
    pub(super) fn kill(&mut self) {
        (self.stdin, self.stdout, self.stderr) = (None, None, None);
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Why there is no output any more.
    fn died(&mut self) -> Trouble {
        let start = Instant::now();
        let mut status = None;
        while status.is_none() && start.elapsed() < GRACE {
            status = self.child.try_wait().ok().flatten();
            self.serve(Duration::from_millis(2));
        }
        // What is in the pipe of its standard error after its end.
        self.serve(Duration::ZERO);
        let status = match status {
            Some(status) => status.to_string(),
            None => "it closed its output".to_owned(),
        };
        let stderr = String::from_utf8_lossy(&self.errors).into_owned();
        Trouble::Died { command: self.command.clone(), status, stderr }
    }

    /// Waits until some pipe is ready, and serves it.
    fn serve(&mut self, wait: Duration) {
        let mut ends = Vec::with_capacity(3);
        if let Some(stdout) = &self.stdout {
            ends.push(PollFd::new(stdout, PollFlags::IN));
        }
        if let Some(stderr) = &self.stderr {
            ends.push(PollFd::new(stderr, PollFlags::IN));
        }
        let writes = self.written < self.waiting.len();
        if let Some(stdin) = self.stdin.as_ref().filter(|_| writes) {
            ends.push(PollFd::new(stdin, PollFlags::OUT));
        }
        let wait = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
        // Whether it was ready, interrupted or in vain: all pipes are tried, and none blocks.
        let _ = poll(&mut ends, Some(&wait));
        drop(ends);
        read(&mut self.stdout, &mut self.said);
        read(&mut self.stderr, &mut self.errors);
        let more = self.errors.len().saturating_sub(TAIL);
        self.errors.drain(..more);
        self.write();
    }

    fn write(&mut self) {
        while let Some(stdin) = self.stdin.as_mut().filter(|_| self.written < self.waiting.len()) {
            match stdin.write(&self.waiting[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(_) => self.stdin = None,
            }
        }
        self.waiting.clear();
        self.written = 0;
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads what is there, but not for ever from somebody who never stops.
fn read(from: &mut Option<impl Read>, to: &mut Vec<u8>) {
    let mut part = [0; 1 << 13];
    for _ in 0..64 {
        let Some(pipe) = from else { return };
        match pipe.read(&mut part) {
            Ok(0) => *from = None,
            Ok(count) => to.extend_from_slice(&part[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return,
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            Err(_) => *from = None,
        }
    }
}
