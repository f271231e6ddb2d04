//! A process under control, and the line to it.
//!
//! All that needs unsafe code on this side is here: the journal that both share, and what a child does before it becomes the program.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use caissa_wire::{Hang, Hello, Journal, LONGEST, Reply, Request, Setup, VARIABLE, VERSION, pack, unpack};

use crate::misuse::NativeError;
use crate::settings::NativeSettings;

/// The descriptors that the program finds the line and the journal at.
const STREAM: i32 = 1000;
const JOURNAL: i32 = 1001;
/// How long a program may take from its start to its first words.
const START: Duration = Duration::from_secs(30);
/// How often somebody looks after a program that works.
const TICK: Duration = Duration::from_millis(20);
/// A process that was told that it hangs has so long to say where.
const GRACE: Duration = Duration::from_secs(2);

/// A process under control.
pub(crate) struct Process {
    child: Child,
    stream: UnixStream,
    journal: &'static Journal,
    hang: Duration,
    /// It was ended because it did not get on.
    hung: bool,
    /// What the program is.
    pub(crate) hello: Hello,
}

const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";
const BIND_NOW: &str = "LD_BIND_NOW";

/// The directory of the runtime, before those that the program is to have.
fn library_path(runtime: &Path, environment: &[(OsString, OsString)]) -> OsString {
    let mut path = runtime.as_os_str().to_owned();
    let set = environment.iter().rev().find(|(name, _)| name == LIBRARY_PATH);
    let before = set.map(|(_, value)| value.clone()).or_else(|| std::env::var_os(LIBRARY_PATH));
    if let Some(before) = before.filter(|before| !before.is_empty()) {
        path.push(":");
        path.push(before);
    }
    path
}

/// What is wanted of a process that works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Its answer.
    Answer,
    /// That it stops, which it does after the execution that it runs.
    Stop,
}

/// The end of a line: the process is gone.
pub(crate) struct Gone;

impl Process {
    /// Starts a program and brings it under control; what it has to know may depend on what it is.
    pub(crate) fn start(
        settings: &NativeSettings,
        setup: impl FnOnce(&Hello) -> Setup,
    ) -> Result<Process, NativeError> {
        let system = |error: std::io::Error| NativeError::System(error.to_string());
        let (stream, theirs) = UnixStream::pair().map_err(system)?;
        let (journal_file, journal) = make_journal().map_err(system)?;
        let mut command = Command::new(&settings.program);
        command.args(&settings.arguments).envs(settings.environment.iter().cloned());
        if let Some(directory) = &settings.directory {
            command.current_dir(directory);
        }
        command.env(VARIABLE, format!("{STREAM},{JOURNAL}"));
        // Whatever it was built with, it runs with the runtime that we know.
        // All functions are found at once, not again in each execution.
        command.env(BIND_NOW, "1");
        command.env(LIBRARY_PATH, library_path(&crate::runtime::directory()?, &settings.environment));
        let silenced = || if settings.output { Stdio::inherit() } else { Stdio::null() };
        command.stdin(Stdio::null()).stdout(silenced()).stderr(silenced()).process_group(0);
        let (line, page) = (theirs.as_raw_fd(), journal_file.as_raw_fd());
        // SAFETY: what is called between fork and exec only makes system calls.
        unsafe { command.pre_exec(move || become_program(line, page)) };
        let not_started = |error: std::io::Error| NativeError::NotStarted {
            program: settings.program.clone(),
            error: error.to_string(),
        };
        let child = command.spawn().map_err(not_started)?;
        drop((theirs, journal_file));
        stream.set_read_timeout(Some(TICK)).map_err(system)?;
        let hello = Hello { version: VERSION, modules: Vec::new() };
        let mut process = Process { child, stream, journal, hang: settings.hang, hung: false, hello };
        process.shake_hands(settings)?;
        let setup = setup(&process.hello);
        process.send(&Request::Setup(setup)).map_err(|Gone| process.no_handshake(settings))?;
        Ok(process)
    }

    fn shake_hands(&mut self, settings: &NativeSettings) -> Result<(), NativeError> {
        let deadline = Instant::now() + START;
        let mut late = false;
        let reply = self.receive(|_| {
            late = Instant::now() > deadline;
            !late
        });
        match reply {
            Ok(Reply::Hello(hello)) if hello.version != VERSION => {
                Err(NativeError::OtherVersion(settings.program.clone()))
            }
            Ok(Reply::Hello(hello)) => {
                self.hello = hello;
                Ok(())
            }
            Ok(_) | Err(Gone) => Err(self.no_handshake(settings)),
        }
    }

    fn no_handshake(&mut self, settings: &NativeSettings) -> NativeError {
        NativeError::NoHandshake { program: settings.program.clone(), ended: self.ended() }
    }

    /// How the process has ended, for a sentence.
    pub(crate) fn ended(&mut self) -> String {
        // It may just be about to.
        std::thread::sleep(TICK);
        if self.hung {
            return format!(
                ": it did not get on for {:?} (--hang), could not be stopped and was ended",
                self.hang
            );
        }
        match self.child.try_wait() {
            Ok(Some(status)) => format!(": {status}"),
            _ => String::new(),
        }
    }

    fn send(&mut self, request: &Request) -> Result<(), Gone> {
        self.stream.write_all(&pack(request)).map_err(|_| Gone)
    }

    /// Asks for something and waits for the answer. `tend` is called now and then, with the journal.
    /// If it says so, that it is to stop, and the answer does not come soon, the process is not waited for any longer.
    pub(crate) fn ask(
        &mut self,
        request: &Request,
        mut tend: impl FnMut(&Journal) -> Wanted,
    ) -> Result<Reply, Gone> {
        self.journal.stop.store(0, Ordering::Relaxed);
        self.journal.hang.store(Hang::No as u32, Ordering::Relaxed);
        self.send(request)?;
        let journal = self.journal;
        let mut watch = Watch::new(self.child.id(), journal, self.hang);
        let mut stopping: Option<Instant> = None;
        let reply = self.receive(|_| {
            match tend(journal) {
                Wanted::Answer => stopping = None,
                Wanted::Stop => {
                    stopping.get_or_insert_with(Instant::now);
                }
            }
            watch.look();
            stopping.is_none_or(|since| since.elapsed() < GRACE)
        });
        tend(journal);
        self.hung = watch.kills > 0;
        reply
    }

    /// The next message. `wait` is asked now and then whether to go on waiting.
    fn receive(&mut self, mut wait: impl FnMut(&mut Child) -> bool) -> Result<Reply, Gone> {
        let mut length = [0; 4];
        self.fill(&mut length, &mut wait)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST {
            return Err(Gone);
        }
        let mut bytes = vec![0; length];
        self.fill(&mut bytes, &mut wait)?;
        unpack(&bytes).ok_or(Gone)
    }

    fn fill(&mut self, bytes: &mut [u8], wait: &mut impl FnMut(&mut Child) -> bool) -> Result<(), Gone> {
        let mut done = 0;
        while done < bytes.len() {
            match self.stream.read(&mut bytes[done..]) {
                Ok(0) => return Err(Gone),
                Ok(count) => done += count,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if !wait(&mut self.child) {
                        return Err(Gone);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Gone),
            }
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SAFETY: a signal to the group that the program was started as, and to nobody else: it has not been waited for.
        unsafe { libc::kill(-(self.child.id() as i32), libc::SIGKILL) };
        let _ = self.child.kill();
        let _ = self.child.wait();
        // SAFETY: the journal is this process's own mapping, and nobody refers to it any more.
        unsafe { libc::munmap(std::ptr::from_ref(self.journal).cast_mut().cast(), PAGE) };
    }
}

/// Sees whether a program gets on, and tells it if not.
struct Watch {
    server: u32,
    journal: &'static Journal,
    hang: Duration,
    last: (u64, u64),
    since: Instant,
    /// What the process had used of its processor then.
    used: Duration,
    told: Option<(Instant, u32)>,
    /// How often it was ended because it did not answer.
    kills: u32,
}

impl Watch {
    fn new(server: u32, journal: &'static Journal, hang: Duration) -> Watch {
        Watch {
            server,
            journal,
            hang,
            last: (0, 0),
            since: Instant::now(),
            used: Duration::ZERO,
            told: None,
            kills: 0,
        }
    }

    fn look(&mut self) {
        let now =
            (self.journal.executions.load(Ordering::Relaxed), self.journal.beat.load(Ordering::Relaxed));
        let process = self.journal.process.load(Ordering::Relaxed);
        if now != self.last {
            self.last = now;
            self.since = Instant::now();
            self.used = state(if process == 0 { self.server } else { process }).1;
            self.told = None;
            self.journal.hang.store(Hang::No as u32, Ordering::Relaxed);
            return;
        }
        match self.told {
            None if self.since.elapsed() > self.hang => {
                let process = if process == 0 { self.server } else { process };
                let (hang, used) = state(process);
                if hang == Hang::Runs && used.saturating_sub(self.used) < self.hang {
                    // Others have the processor.
                    return;
                }
                self.journal.hang.store(hang as u32, Ordering::Relaxed);
                self.signal(process, libc::SIGXCPU);
                self.told = Some((Instant::now(), process));
            }
            Some((when, process)) if when.elapsed() > GRACE => {
                // If that was not enough, all of it goes.
                let process = if self.kills == 0 { process } else { 0 };
                self.kills += 1;
                self.signal(process, libc::SIGKILL);
                self.told = Some((Instant::now(), process));
            }
            _ => {}
        }
    }
}

impl Watch {
    /// Sends a signal to a process of the program's. What the journal says may be anything: only the server and its children are meant, and if it is
    /// neither, all of them.
    fn signal(&self, process: u32, signal: i32) {
        let server = self.server as i32;
        let is_child = process > 1 && parent(process) == Some(self.server);
        let target = if process == self.server || is_child { process as i32 } else { -server };
        // SAFETY: the server has not been waited for, so that its number, and that of its group, are nobody else's.
        unsafe { libc::kill(target, signal) };
    }
}

/// A process that has stopped goes on.
pub(crate) fn go_on(process: u32) {
    if process > 1 {
        // SAFETY: whoever has the number, this ends nobody.
        unsafe { libc::kill(process as i32, libc::SIGCONT) };
    }
}

/// The parent of a process.
fn parent(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Whether a process runs or waits, and how long it has run.
fn state(process: u32) -> (Hang, Duration) {
    /// Times are told in hundredths of seconds.
    const TICK: u64 = 10;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The state comes after the name, which is in brackets and may hold anything.
    let words: Vec<&str> =
        stat.rsplit_once(')').map_or(Vec::new(), |(_, rest)| rest.split_whitespace().collect());
    let ticks = |index: usize| words.get(index).and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
    let used = Duration::from_millis((ticks(11) + ticks(12)) * TICK);
    (if is_running(process) { Hang::Runs } else { Hang::Waits }, used)
}

/// Whether one of the threads of a process runs, or would if it had a processor.
fn is_running(process: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return false };
    threads.flatten().any(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('R'))
    })
}

const PAGE: usize = 4096;

/// A page of memory that both sides share. It has no name, so that it goes with whoever has it.
fn make_journal() -> std::io::Result<(File, &'static Journal)> {
    // SAFETY: a new file, of which the page is mapped; all zero is a journal.
    unsafe {
        let fd = libc::memfd_create(c"caissa-journal".as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return Err(std::io::Error::last_os_error());
        }
        let file = File::from_raw_fd(fd);
        file.set_len(PAGE as u64)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let page = libc::mmap(std::ptr::null_mut(), PAGE, protection, libc::MAP_SHARED, fd, 0);
        if page == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        Ok((file, &*page.cast::<Journal>()))
    }
}

/// Called in the child, before it becomes the program.
fn become_program(line: i32, page: i32) -> std::io::Result<()> {
    const NO_RANDOM_ADDRESSES: libc::c_ulong = 0x0004_0000;
    // SAFETY: system calls on descriptors of our own.
    unsafe {
        for (from, to) in [(line, STREAM), (page, JOURNAL)] {
            if libc::dup2(from, to) < 0 {
                return Err(std::io::Error::last_os_error());
            }
        }
        // The same addresses in every process, where the system lets us.
        libc::personality(NO_RANDOM_ADDRESSES);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    Ok(())
}
