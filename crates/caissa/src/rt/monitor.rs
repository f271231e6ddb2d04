//! The watch over the threads that run executions.
//!
//! A task can leave our control: it waits for a std lock that another task holds, sleeps for real, loops without a
//! scheduling point, overflows its stack, or aborts the process by panicking while it unwinds. None of these can be
//! unwound. A thread that runs none of them watches the workers; when one is stuck or has crashed it prints the schedule that
//! led there and ends the process with an exit code of its own.
//!
//! A worker is looked at only while it stands still: in the handler of a signal that it raised itself by crashing, or
//! of the signal that the watch sends to it. The handlers do nothing but say so and wait.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Engine;

/// Exit code of a process in which a task did not come back to a scheduling point.
pub const EXIT_STUCK: i32 = 86;
/// Exit code of a process in which a task overflowed its stack.
pub const EXIT_STACK_OVERFLOW: i32 = 87;
/// Exit code of a process in which a task crashed: a panic while unwinding, an abort, a fault.
pub const EXIT_CRASH: i32 = 88;

/// What a worker shows of itself.
#[derive(Debug)]
pub(crate) struct Beacon {
    engine: AtomicPtr<Engine>,
    /// The beacon of this thread before: of a check that has called something outside it, which made another check.
    before: AtomicPtr<Beacon>,
    /// The worker's `pthread_t`.
    thread: AtomicU64,
    /// Counts executions, also second looks at them.
    beats: AtomicU64,
    /// The signal by which the worker crashed, or 0.
    crash: AtomicI32,
    fault: AtomicUsize,
    /// The worker stands still in the handler of the watch's signal.
    halted: AtomicBool,
    /// The watch wants it to stand still.
    halt: AtomicBool,
    /// The worker runs a job; else it may wait for one as long as it likes.
    busy: AtomicBool,
}

thread_local! {
    /// The beacon of this thread, for signal handlers: a constant-initialised cell without a destructor, so that
    /// reading it is safe in a handler.
    static BEACON: std::cell::Cell<*const Beacon> = const { std::cell::Cell::new(std::ptr::null()) };
}

thread_local! {
    static SIGNAL_STACK: SignalStack = const { SignalStack(std::cell::OnceCell::new()) };
}

/// A stack for signal handlers, if the thread had none of its own: one that Rust did not start. A task that overflows its
/// stack could not be reported without it.
struct SignalStack(std::cell::OnceCell<Option<Box<[u8]>>>);

impl SignalStack {
    const SIZE: usize = 64 << 10;

    fn provide(&self) {
        self.0.get_or_init(|| {
            // SAFETY: the structures are zeroed as the C interface expects and filled in; the memory is this thread's until
            // `drop` takes it away.
            unsafe {
                let mut stack: libc::stack_t = std::mem::zeroed();
                libc::sigaltstack(std::ptr::null(), &mut stack);
                if stack.ss_flags & libc::SS_DISABLE == 0 {
                    return None;
                }
                let mut memory = vec![0; SignalStack::SIZE].into_boxed_slice();
                stack.ss_sp = memory.as_mut_ptr().cast();
                stack.ss_size = memory.len();
                stack.ss_flags = 0;
                libc::sigaltstack(&stack, std::ptr::null_mut());
                Some(memory)
            }
        });
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        if let Some(Some(_)) = self.0.get() {
            // SAFETY: as above; the thread ends and runs no task any more.
            unsafe {
                let mut stack: libc::stack_t = std::mem::zeroed();
                stack.ss_flags = libc::SS_DISABLE;
                libc::sigaltstack(&stack, std::ptr::null_mut());
            }
        }
    }
}

impl Beacon {
    pub(crate) fn new() -> Beacon {
        Beacon {
            engine: AtomicPtr::new(std::ptr::null_mut()),
            before: AtomicPtr::new(std::ptr::null_mut()),
            thread: AtomicU64::new(0),
            beats: AtomicU64::new(0),
            crash: AtomicI32::new(0),
            fault: AtomicUsize::new(0),
            halted: AtomicBool::new(false),
            halt: AtomicBool::new(false),
            busy: AtomicBool::new(false),
        }
    }

    /// This thread runs `engine` from now on.
    pub(crate) fn attach(&self, engine: *mut Engine) {
        install_handlers();
        // At the end of a thread it may be gone.
        let _ = SIGNAL_STACK.try_with(SignalStack::provide);
        // SAFETY: no preconditions.
        self.thread.store(unsafe { libc::pthread_self() }, Ordering::Relaxed);
        self.engine.store(engine, Ordering::Release);
        let before = BEACON.with(|beacon| beacon.replace(self));
        self.before.store(before.cast_mut(), Ordering::Relaxed);
    }

    /// This thread does not run the engine any more.
    pub(crate) fn detach(&self) {
        let before = self.before.load(Ordering::Relaxed);
        BEACON.with(|beacon| beacon.set(before));
        self.engine.store(std::ptr::null_mut(), Ordering::Release);
    }

    /// The worker runs a job from now on, until what this returns is dropped.
    pub(crate) fn busy(&self) -> impl Drop {
        struct Busy<'a>(&'a Beacon);
        impl Drop for Busy<'_> {
            fn drop(&mut self) {
                self.0.busy.store(false, Ordering::Release);
            }
        }
        self.busy.store(true, Ordering::Release);
        Busy(self)
    }

    /// In the handler of the watch's signal: waits until the watch has seen enough.
    fn stand_still(&self) {
        self.halted.store(true, Ordering::Release);
        while self.halt.load(Ordering::Acquire) {
            let pause = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
            // SAFETY: a valid time and no need for the rest.
            unsafe { libc::nanosleep(&pause, std::ptr::null_mut()) };
        }
        self.halted.store(false, Ordering::Release);
    }

    /// Whether the worker has crashed, and waits to be looked at.
    pub(crate) fn with_crashed(&self, look: impl FnOnce(&Engine)) -> bool {
        let engine = self.engine.load(Ordering::Acquire);
        if self.crash.load(Ordering::Acquire) == 0 || engine.is_null() {
            return false;
        }
        // SAFETY: the worker waits in its crash handler for ever; nothing else uses its engine.
        look(unsafe { &*engine });
        true
    }

    /// An execution begins.
    #[inline]
    pub(crate) fn beat(&self) {
        increment(&self.beats);
    }
}

/// Adds one to what only this thread changes.
#[inline]
fn increment(counter: &AtomicU64) {
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// The signal by which the watch makes a worker stand still.
fn halt_signal() -> i32 {
    libc::SIGRTMIN() + 7
}

const CRASHES: [i32; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// What handled a crash signal before us; written once, before our handlers are in place.
static mut BEFORE: [Option<libc::sigaction>; CRASHES.len()] = [None; CRASHES.len()];

fn install_handlers() {
    static HANDLERS: Once = Once::new();
    HANDLERS.call_once(|| {
        // SAFETY: the structures are zeroed as the C interface expects and filled in; `BEFORE` is written here only,
        // each entry before the handler that reads it can run on a thread with a beacon.
        unsafe {
            for (index, &signal) in CRASHES.iter().enumerate() {
                let mut action: libc::sigaction = std::mem::zeroed();
                let mut before: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_crash as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
                libc::sigaction(signal, &action, &mut before);
                (&raw mut BEFORE).cast::<Option<libc::sigaction>>().add(index).write(Some(before));
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_halt as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
            libc::sigaction(halt_signal(), &action, std::ptr::null_mut());
        }
    });
}

/// A crash on a worker's thread: say so and wait for the watch to end the process. Elsewhere: as it was before us.
extern "C" fn on_crash(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let beacon = BEACON.with(std::cell::Cell::get);
    if beacon.is_null() {
        hand_on(signal, info, context);
        return;
    }
    // SAFETY: the beacon outlives the worker's attachment; the kernel gives valid information for these signals.
    unsafe {
        (*beacon).fault.store((*info).si_addr() as usize, Ordering::Relaxed);
        (*beacon).crash.store(signal, Ordering::Release);
        loop {
            libc::pause();
        }
    }
}

fn hand_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let index = CRASHES.iter().position(|&crash| crash == signal);
    // SAFETY: `BEFORE` is not written any more; an old handler is called as the kernel would have called it.
    unsafe {
        let before =
            index.and_then(|index| (&raw const BEFORE).cast::<Option<libc::sigaction>>().add(index).read());
        match before {
            Some(before) if before.sa_sigaction != libc::SIG_DFL && before.sa_sigaction != libc::SIG_IGN => {
                if before.sa_flags & libc::SA_SIGINFO != 0 {
                    let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
                        std::mem::transmute(before.sa_sigaction);
                    handler(signal, info, context);
                } else {
                    let handler: extern "C" fn(i32) = std::mem::transmute(before.sa_sigaction);
                    handler(signal);
                }
            }
            _ => {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
        }
    }
}

/// The watch wants to look at this worker.
extern "C" fn on_halt(_: i32, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let mut beacon = BEACON.with(std::cell::Cell::get);
    // SAFETY: as in `on_crash`; a beacon that another has taken the place of lives longer than that.
    while let Some(asked) = unsafe { beacon.as_ref() } {
        if asked.halt.load(Ordering::Acquire) {
            asked.stand_still();
        }
        beacon = asked.before.load(Ordering::Relaxed);
    }
}

/// How far a worker has come.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Progress {
    beats: u64,
    steps: u32,
}

/// What the watch knows of a worker.
struct Seen {
    /// How far it had come.
    progress: Progress,
    /// Since when it stands there, as far as is known.
    since: Instant,
    /// When it was looked at last.
    looked: Instant,
}

/// Watches the workers of one check.
pub(crate) struct Watch<'a> {
    beacons: &'a [std::sync::Arc<Beacon>],
    /// How long a worker may stay between two points.
    patience: Duration,
    seen: Vec<Seen>,
    /// Describes a stuck or crashed worker: its schedule and what it did last.
    describe: &'a (dyn Fn(&Engine) -> String + Sync),
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        beacons: &'a [std::sync::Arc<Beacon>],
        patience: Duration,
        describe: &'a (dyn Fn(&Engine) -> String + Sync),
    ) -> Watch<'a> {
        let now = Instant::now();
        let progress = Progress { beats: u64::MAX, steps: 0 };
        let seen = beacons.iter().map(|_| Seen { progress, since: now, looked: now }).collect();
        Watch { beacons, patience, seen, describe }
    }

    /// Looks at every worker; ends the process if one is lost.
    pub(crate) fn look(&mut self) {
        for (beacon, seen) in self.beacons.iter().zip(&mut self.seen) {
            let Seen { progress, since, looked } = seen;
            let crash = beacon.crash.load(Ordering::Acquire);
            let engine = beacon.engine.load(Ordering::Acquire);
            if engine.is_null() || (crash == 0 && !beacon.busy.load(Ordering::Acquire)) {
                (*since, *looked) = (Instant::now(), Instant::now());
                continue;
            }
            if crash != 0 {
                // SAFETY: the worker waits in its crash handler for ever; nothing else uses its engine.
                end_crashed(crash, beacon.fault.load(Ordering::Relaxed), unsafe { &*engine }, self.describe);
            }
            let beats = beacon.beats.load(Ordering::Relaxed);
            if beats != progress.beats {
                *progress = Progress { beats, steps: u32::MAX };
                (*since, *looked) = (Instant::now(), Instant::now());
            } else if looked.elapsed() >= self.patience / 10 {
                // No execution has ended for a while: look whether it takes steps.
                *looked = Instant::now();
                let (patience, describe) = (self.patience, self.describe);
                with_halted(beacon, |engine| {
                    let now = Progress { beats, steps: engine.execution.steps() };
                    if now != *progress {
                        *progress = now;
                        *since = Instant::now();
                    } else if since.elapsed() >= patience {
                        end_stuck(engine, patience, describe);
                    }
                });
            }
        }
    }
}

/// Makes a worker stand still and looks at its engine. Does nothing if the worker does not answer.
pub(crate) fn with_halted(beacon: &Beacon, look: impl FnOnce(&Engine)) {
    beacon.halt.store(true, Ordering::Release);
    // SAFETY: the thread is attached, so it has not ended: a worker detaches before it does.
    unsafe { libc::pthread_kill(beacon.thread.load(Ordering::Relaxed), halt_signal()) };
    let asked = Instant::now();
    while !beacon.halted.load(Ordering::Acquire) && asked.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let engine = beacon.engine.load(Ordering::Acquire);
    if beacon.halted.load(Ordering::Acquire) && !engine.is_null() {
        // SAFETY: the worker stands still in its handler until `halt` is taken back.
        look(unsafe { &*engine });
    }
    beacon.halt.store(false, Ordering::Release);
    while beacon.halted.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ends the process with a message. Written past std's standard error: its lock may be held by the lost worker, and a
/// test harness would keep what is printed.
fn end_process(code: i32, message: &str) -> ! {
    let mut rest = message.as_bytes();
    while !rest.is_empty() {
        // SAFETY: a valid buffer of that length.
        let written = unsafe { libc::write(2, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(written) if written > 0 => rest = &rest[written..],
            _ => break,
        }
    }
    // SAFETY: ends the process at once; destructors could wait for the lost worker.
    unsafe { libc::_exit(code) }
}

fn end_stuck(engine: &Engine, patience: Duration, describe: &dyn Fn(&Engine) -> String) -> ! {
    let message = format!(
        "\ncaissa: task {} has not come back to a scheduling point for {} s, so the check cannot go on.\n\
         Either it waits for something outside the check (a std lock that another task holds, std::thread::sleep, I/O), or \
         it loops without touching a caissa type.\n\
         Use caissa's types for whatever tasks share, put `caissa::thread::yield_now()` into loops that wait, or allow more \
         time with `watchdog` (CAISSA_WATCHDOG, in seconds).\n{}",
        engine.running,
        patience.as_secs_f64(),
        describe(engine)
    );
    end_process(EXIT_STUCK, &message)
}

fn end_crashed(signal: i32, fault: usize, engine: &Engine, describe: &dyn Fn(&Engine) -> String) -> ! {
    let task = engine.running;
    let (code, what) = if signal == libc::SIGSEGV && engine.overflowed(fault) {
        let what = format!(
            "task {task} has overflowed its stack of {} bytes.\nIf the recursion is meant, raise `stack_size` \
             (CAISSA_STACK_SIZE, in bytes)",
            engine.settings.stack_size
        );
        (EXIT_STACK_OVERFLOW, what)
    } else {
        let name = match signal {
            libc::SIGABRT => "has aborted the process",
            libc::SIGSEGV | libc::SIGBUS => "has accessed memory that it must not",
            libc::SIGILL => "has run an illegal instruction",
            _ => "has failed an arithmetic operation",
        };
        let mut what = format!("task {task} {name} (signal {signal})");
        for seen in engine.seen_panics.iter().filter(|seen| seen.task == task) {
            what.push_str(&format!(".\nIt panicked at {}: {}", seen.source, seen.message));
        }
        if !engine.seen_panics.is_empty() {
            what.push_str(".\nA panic in a destructor, while the task already unwinds, aborts the process");
        }
        (EXIT_CRASH, what)
    };
    end_process(code, &format!("\ncaissa: {what}.\n{}", describe(engine)))
}
