//! The way into the runtime: who runs, what it announces, who goes on.
//!
//! [`Rt::enter`] is the first thing that every hook does. Inside, no hook does anything, so that the runtime may copy memory like anyone. State
//! is reached by [`Rt::state`]; no reference to it is held across a point, where another task may run.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

use caissa_core::class::{Access, Past, mix};
use caissa_core::race::code_number;
use caissa_core::{
    Bug, Code, Ending, Execution, Failure, Next, Note, ObjectId, ObjectKind, Op, OpKind, Source, TaskId,
};
use caissa_wire::{Halt, Journal, Misuse, Module, Setup};

use crate::code::KnownCode;
use crate::files::Channel;
use crate::modules::Ranges;
use crate::object::Object;
use crate::shadow::Shadow;
use crate::task::Task;
use crate::timers::Timer;
use crate::unwind::Stacks;
use crate::{arena, heap, modes, sys};

/// The program runs under control, and not in the runtime.
static ON: AtomicBool = AtomicBool::new(false);
/// Who leaves the runtime is under control again: not so in a process that was let go.
static BACK_ON: AtomicBool = AtomicBool::new(true);

/// Everything about the present job and execution.
pub(crate) struct State {
    pub(crate) setup: Setup,
    pub(crate) journal: &'static Journal,
    pub(crate) execution: Execution,
    /// For executions that are run beside those of the present job.
    pub(crate) aside: Option<Box<Execution>>,
    /// The task that runs.
    pub(crate) running: TaskId,
    pub(crate) tasks: Vec<Task>,
    /// While there are so many tasks, those that have ended included, the running one comes after whatever others have done: at first the main one is alone, and with a harness
    /// the one that runs a test; later one may have joined all others.
    pub(crate) alone: u32,
    /// Objects that synchronise, by half their number; only the first so many are of this execution.
    pub(crate) objects: Vec<Object>,
    pub(crate) object_count: usize,
    pub(crate) shadow: Shadow,
    /// Stands for everything that has been done so far.
    digest: u64,
    /// Accesses of data that the running task may still do before the next point.
    pub(crate) patience: u64,
    /// Where the server waits for the end of the execution.
    pub(crate) root: usize,
    pub(crate) root_thread: usize,
    /// What is wrong with the execution that has just run.
    pub(crate) bug: Option<Bug>,
    /// Where.
    pub(crate) place: Option<Source>,
    /// Where tasks have panicked.
    pub(crate) panics: Vec<(TaskId, Source)>,
    /// What else belongs to it.
    pub(crate) related: Vec<(String, caissa_wire::Access)>,
    pub(crate) cut_off: Option<Failure>,
    pub(crate) halt: Option<Halt>,
    pub(crate) stacks: Stacks,
    /// The files that were mapped in the end, if the execution was traced.
    pub(crate) modules: Vec<Module>,
    /// So often the clock was read.
    pub(crate) readings: u64,
    /// The trace is for somebody to read: it tells by which calls places were come to.
    pub(crate) tells: bool,
    /// The running task has accessed data of the program's own since it has come to a point; known for Rust only.
    pub(crate) has_accessed: bool,
    /// So many accesses the running task has done in its turn.
    pub(crate) turn: u32,
    /// Some schedule was left out by a seal.
    pub(crate) sealed: bool,
    /// The program has processes that are not under control.
    pub(crate) has_children: bool,
    /// What has read and set the clock.
    pub(crate) clock_past: Past,
    /// Who has drawn random numbers.
    pub(crate) random_past: Past,
    /// What there is to know of code.
    pub(crate) code: KnownCode,
    /// A task that waits for somebody who is not under control, while nobody else can go on.
    pub(crate) waits_outside: Option<TaskId>,
    /// Tasks that wait for files.
    pub(crate) io_waits: Vec<TaskId>,
    /// Files of timers.
    pub(crate) timers: Vec<Timer>,
    /// So many were made.
    pub(crate) timers_made: u32,
    /// Files that are connected with each other.
    pub(crate) channels: Vec<Channel>,
    /// The program has blocked signals, or unblocked them.
    pub(crate) blocks_signals: bool,
    /// Something was freed in this execution.
    pub(crate) has_freed: bool,
    /// The digest and the patience when a task has paused last.
    pub(crate) last_pause: (u64, u64),
    /// So many pauses have come since, with nothing between them.
    pub(crate) merged_pauses: u32,
    /// Pauses that are not trapped any more in this execution.
    pub(crate) pauses_put_back: Vec<usize>,
}

struct Cell(UnsafeCell<*mut State>);

// SAFETY: one task of the program runs at a time, and the server only while none does.
unsafe impl Sync for Cell {}

static STATE: Cell = Cell(UnsafeCell::new(std::ptr::null_mut()));

/// Makes the state known. It lives as long as the process.
pub(crate) fn install(state: Box<State>) {
    // SAFETY: nothing runs yet.
    unsafe { *STATE.0.get() = Box::into_raw(state) };
}

/// Whether the process is under control at all.
pub(crate) fn is_installed() -> bool {
    // SAFETY: the pointer is set once, before anything runs.
    unsafe { !(*STATE.0.get()).is_null() }
}

/// From here on the program runs under control, or does not any more.
pub(crate) fn set_control(on: bool) {
    ON.store(on, Ordering::Relaxed);
}

/// The process will never be under control again.
pub(crate) fn let_go() {
    BACK_ON.store(false, Ordering::Relaxed);
    set_control(false);
}

/// Whether the program runs under control just now.
#[inline(always)]
pub(crate) fn in_control() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The runtime, entered by a task; left when it is dropped.
pub(crate) struct Rt(());

impl Drop for Rt {
    #[inline]
    fn drop(&mut self) {
        ON.store(BACK_ON.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl Rt {
    /// Enters the runtime, if the program runs under control and is not in it already.
    #[inline(always)]
    pub(crate) fn enter() -> Option<Rt> {
        if !ON.load(Ordering::Relaxed) {
            return None;
        }
        ON.store(false, Ordering::Relaxed);
        Some(Rt(()))
    }

    /// For the server, which is always inside: it must be forgotten, not dropped.
    pub(crate) fn of_server() -> std::mem::ManuallyDrop<Rt> {
        std::mem::ManuallyDrop::new(Rt(()))
    }

    /// The state.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn state(&self) -> &'static mut State {
        // SAFETY: it is there while the program is under control; callers drop the reference before any point, so that no two are used
        // at a time.
        unsafe { &mut **STATE.0.get() }
    }

    /// The running task.
    #[inline]
    pub(crate) fn me(&self) -> TaskId {
        self.state().running
    }

    /// The running task's entry.
    #[inline]
    pub(crate) fn task(&self) -> &'static mut Task {
        let state = self.state();
        &mut state.tasks[state.running.index()]
    }

    /// Runs something of the program's in the middle of a hook.
    pub(crate) fn outside<T>(&self, run: impl FnOnce() -> T) -> T {
        struct Back;
        impl Drop for Back {
            fn drop(&mut self) {
                ON.store(false, Ordering::Relaxed);
            }
        }
        ON.store(true, Ordering::Relaxed);
        let _back = Back;
        run()
    }

    /// Where the running task is: the call that this address follows.
    #[inline]
    pub(crate) fn source(&self, pc: usize) -> Source {
        let tells = self.state().tells && self.state().execution.is_traced();
        let stack = if tells { self.stack(pc) } else { 0 };
        Source::Code(Code { address: pc as u64, stack })
    }

    /// A scheduling point before an operation that could take effect now.
    #[inline]
    pub(crate) fn point(&self, op: Op, pc: usize) {
        self.follow(op, pc);
        if !self.state().execution.coast() {
            self.announce(op, pc, true);
        }
    }

    /// A scheduling point before an operation on an object that may not be able to take effect now. Comes back when it can.
    #[inline]
    pub(crate) fn point_on(&self, op: Op, pc: usize) {
        let state = self.state();
        if state.objects[index(op.object)].allows(op.kind, state.running) {
            self.point(op, pc);
        } else {
            self.block(op, pc);
        }
    }

    /// The running task cannot go on with this operation now. Comes back when it can.
    pub(crate) fn block(&self, op: Op, pc: usize) {
        self.follow(op, pc);
        self.announce(op, pc, false);
    }

    /// The running task has come to an operation: what everything up to there looks like changes.
    #[inline]
    pub(crate) fn follow(&self, op: Op, pc: usize) {
        let state = self.state();
        let place = state.place_of(op) & 0xfff;
        // What is the same wherever in memory the program lies.
        let pc = (pc as u64 & 0xfff) << 40;
        let what = op.fingerprint() ^ pc ^ (state.running.0 as u64) << 56 ^ place.rotate_right(20);
        state.digest = mix(state.digest ^ what);
        state.patience = state.setup.patience;
        state.has_accessed = false;
        if !state.pauses_put_back.is_empty() {
            crate::pauses::trap_again(state);
        }
        if arena::is_full() {
            self.give_up_memory();
        }
        let here = (&raw const what) as usize;
        let task = &mut state.tasks[state.running.index()];
        task.lowest = crate::aside::used_down_to(here, &task.stack).min(task.lowest);
        task.has_announced = true;
    }

    /// So much is known of the execution that there is no room for more.
    #[cold]
    fn give_up_memory(&self) -> ! {
        let most = arena::MOST_GIB;
        self.misuse(format!(
            "has done so much in one execution that more than {most} GiB are needed to keep track of it"
        ))
    }

    /// The running task has seen this value, which the program may depend on. Addresses are left out: they need not be the same in another process.
    #[inline]
    pub(crate) fn saw(&self, value: u64) {
        if value < 1 << 32 {
            let state = self.state();
            state.digest = mix(state.digest ^ value);
        }
    }

    /// What everything up to now looks like.
    pub(crate) fn digest(&self) -> u64 {
        self.state().digest
    }

    fn announce(&self, op: Op, pc: usize, able: bool) {
        if able && self.state().execution.is_in_reserve() {
            return;
        }
        self.beat();
        self.look_at_files(!able);
        let source = self.source(pc);
        let state = self.state();
        state.execution.set_digest(state.digest);
        if state.setup.seals.is_some() {
            let sealed = able && crate::unwind::is_sealed(&state.code, pc);
            state.sealed |= sealed && !state.execution.is_alone();
            state.execution.seal(sealed);
        }
        let next = if able { state.execution.point(op, source) } else { state.execution.block(op, source) };
        self.proceed(next, op);
    }

    /// The host sees that the program gets on.
    #[inline]
    pub(crate) fn beat(&self) {
        let beat = &self.state().journal.beat;
        beat.store(beat.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// The running task has announced an operation, and this is how the execution goes on. Comes back when the task does.
    pub(crate) fn proceed(&self, next: Next, op: Op) {
        match next {
            Next::Stay => {}
            Next::Switch(task) => {
                let state = self.state();
                if op.kind.can_block() {
                    state.objects[index(op.object)].waiting.insert(state.running);
                }
                self.go_to(task);
            }
            Next::End => self.leave(),
        }
    }

    /// Another task goes on. Comes back when the running one does.
    pub(crate) fn go_to(&self, task: TaskId) {
        let state = self.state();
        // A notified waiter goes on at its mutex, not at the condvar where it left.
        let op = state.execution.pending_op(task);
        if op.kind.can_block() {
            state.objects[index(op.object)].waiting.remove(task);
        }
        let me = std::mem::replace(&mut state.running, task);
        state.turn = 0;
        // Whoever goes on does so at a point.
        state.has_accessed = false;
        modes::switch_to(self, me, task);
    }

    /// The execution is over; what is left of it is given up.
    pub(crate) fn leave(&self) -> ! {
        if self.state().execution.is_traced() {
            self.state().modules = crate::modules::all();
        }
        if self.state().setup.stops && self.state().execution.ending() != Some(&Ending::Complete) {
            self.stop_for_debugger();
        }
        modes::leave(self)
    }

    /// Stops until a debugger has looked.
    #[cold]
    fn stop_for_debugger(&self) {
        // SAFETY: this process, which lets anybody trace it, waits to be told to go on.
        unsafe {
            sys::call(libc::SYS_prctl, libc::PR_SET_PTRACER as usize, libc::PR_SET_PTRACER_ANY as usize, 0);
            self.state().journal.stopped.store(1, Ordering::Relaxed);
            let process = sys::call(libc::SYS_getpid, 0, 0, 0);
            sys::call(libc::SYS_kill, process as usize, libc::SIGSTOP as usize, 0);
        }
    }

    /// Ends the execution in this way.
    pub(crate) fn end(&self, ending: Ending) -> ! {
        self.state().execution.end(ending);
        self.leave()
    }

    /// The program does what cannot be controlled.
    pub(crate) fn misuse(&self, what: String) -> ! {
        self.halt(Halt::Misused(Misuse { what, task: self.me(), stack: crate::unwind::all_frames() }))
    }

    /// The process cannot go on with executions.
    pub(crate) fn halt(&self, halt: Halt) -> ! {
        self.state().halt.get_or_insert(halt);
        self.end(Ending::Misused)
    }

    /// A data choice among `count` values, 0 first.
    pub(crate) fn choose(&self, count: u32, pc: usize) -> u32 {
        let source = self.source(pc);
        let state = self.state();
        state.execution.set_digest(state.digest);
        match state.execution.choose(count, source) {
            Some(value) => value,
            None => self.leave(),
        }
    }

    /// Whether a fault of the running task happens.
    pub(crate) fn fault(&self, op: Op, pc: usize) -> bool {
        let execution = &self.state().execution;
        if !execution.may_fault() || execution.is_in_reserve() {
            return false;
        }
        let source = self.source(pc);
        let state = self.state();
        state.execution.set_digest(state.digest);
        match state.execution.fault(op, source) {
            Some(happens) => happens,
            None => self.leave(),
        }
    }

    /// The running task touches an object as a lock is: what makes classes, and orders.
    #[inline]
    pub(crate) fn touch(&self, object: usize, access: Access) {
        self.state().execution.touch(number(object).0 as usize, access);
    }

    /// The running task touches an object, which orders nothing by itself.
    #[inline]
    pub(crate) fn touch_class(&self, object: usize, access: Access) {
        self.state().execution.touch_class(number(object).0 as usize, access);
    }

    /// The running task has taken a step that touches no object.
    pub(crate) fn touch_nothing(&self) {
        let state = self.state();
        if state.execution.counts_classes() {
            let task = state.running;
            state.execution.past_mut(task).absorb(0);
        }
    }

    /// The present step of the running task is a yield, as it says itself.
    pub(crate) fn yields(&self) {
        self.task().rounds.yields();
        self.has_yielded();
    }

    /// The present step of the running task is a yield.
    pub(crate) fn has_yielded(&self) {
        let state = self.state();
        state.execution.yields();
        if state.code.of_rust && !self.task().rounds.is_in_place() {
            state.execution.moves_on();
        }
        self.task().polling.yields();
    }

    /// What the operation observed, for traces.
    #[inline]
    pub(crate) fn note(&self, note: impl FnOnce() -> Note) {
        let execution = &mut self.state().execution;
        if execution.is_traced() {
            execution.note(note);
        }
    }

    /// The objects whose state has changed let some tasks go on and others not.
    #[inline]
    pub(crate) fn refresh(&self, object: usize) {
        let state = self.state();
        let object = &state.objects[object];
        for task in &object.waiting {
            // One whose time has passed goes on in any case.
            if object.allows(state.execution.pending_op(task).kind, task) {
                state.execution.enable(task);
            } else {
                state.execution.disable(task);
            }
        }
    }

    /// The object of this kind at an address.
    #[inline]
    pub(crate) fn object(&self, kind: ObjectKind, address: usize) -> usize {
        let state = self.state();
        let first = state.shadow.sync(address);
        let mut at = *first;
        while at != 0 {
            let object = &state.objects[at as usize - 1];
            if object.address == address && object.kind == kind {
                return at as usize - 1;
            }
            at = object.next;
        }
        self.new_object(kind, address)
    }

    #[cold]
    fn new_object(&self, kind: ObjectKind, address: usize) -> usize {
        let state = self.state();
        let new = state.object_count;
        state.object_count += 1;
        let first = state.shadow.sync_for_write(address);
        let next = std::mem::replace(first, new as u32 + 1);
        match state.objects.get_mut(new) {
            Some(object) => object.reset(kind, address, next),
            None => state.objects.push(Object::new(kind, address, next)),
        }
        state.execution.add_object(number(new).0 as usize);
        new
    }

    /// An operation on an object.
    #[inline]
    pub(crate) fn op(&self, kind: OpKind, object: usize) -> Op {
        Op::new(kind, number(object))
    }

    /// An operation of the running task on itself.
    #[inline]
    pub(crate) fn own_op(&self, kind: OpKind) -> Op {
        Op::new(kind, ObjectId(self.me().0))
    }

    /// A new execution begins.
    pub(crate) fn begin(&self) {
        let state = self.state();
        state.object_count = 0;
        state.shadow.reset();
        heap::with(|heap| heap.reset());
        state.digest = 0;
        state.turn = 0;
        state.readings = 0;
        state.patience = state.setup.patience;
        state.running = TaskId::MAIN;
        state.bug = None;
        state.place = None;
        state.panics.clear();
        state.related.clear();
        state.stacks.clear();
        state.has_children = false;
        state.clock_past = Past::default();
        state.waits_outside = None;
        state.io_waits.clear();
        state.timers.clear();
        state.timers_made = 0;
        state.channels.clear();
        crate::pauses::reset(state);
        state.has_freed = false;
        state.alone = state.setup.tasks_at_first();
        state.blocks_signals = false;
        state.random_past = Past::default();
        state.execution.start();
        if state.setup.harness {
            state.execution.keep_in_reserve(TaskId::MAIN);
        }
        crate::hooks::reset();
        Task::begin_main(state);
        state.place_hooks(TaskId::MAIN);
    }
}

impl State {
    /// Stands for everything that has been done so far.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }

    /// Where an operation's object lies, as far as that is the same in every process: on a page.
    #[inline]
    fn place_of(&self, op: Op) -> u64 {
        let address = match op.kind.object_kind() {
            ObjectKind::Task => return 0,
            ObjectKind::Cell => self.shadow.cell_address(op.object.0 / 2).unwrap_or(0),
            _ => self.objects[index(op.object)].address,
        };
        // The main stack begins anywhere on a page.
        if self.tasks[0].stack.contains(&address) { 0 } else { address as u64 }
    }

    /// Whether whoever yields there does so for a few times only.
    pub(crate) fn is_spin(&self, pc: usize) -> bool {
        self.code.relaxes.contain_call(pc) && crate::unwind::is_below(&self.code.spins, pc)
    }

    /// As it is before the first job.
    pub(crate) fn new(setup: Setup, journal: &'static Journal) -> State {
        State {
            execution: new_execution(&setup, true),
            aside: None,
            running: TaskId::MAIN,
            tasks: Vec::with_capacity(modes::KEPT_ROOM),
            alone: 0,
            objects: Vec::new(),
            object_count: 0,
            shadow: Shadow::new(),
            digest: 0,
            patience: 0,
            root: 0,
            root_thread: 0,
            bug: None,
            place: None,
            panics: Vec::new(),
            related: Vec::new(),
            cut_off: None,
            halt: None,
            stacks: Stacks::default(),
            modules: Vec::new(),
            readings: 0,
            tells: false,
            has_accessed: false,
            turn: 0,
            sealed: false,
            has_children: false,
            clock_past: Past::default(),
            random_past: Past::default(),
            code: KnownCode::of(&setup),
            waits_outside: None,
            io_waits: Vec::new(),
            timers: Vec::new(),
            timers_made: 0,
            channels: Vec::new(),
            blocks_signals: false,
            has_freed: false,
            last_pause: (0, 0),
            merged_pauses: 0,
            pauses_put_back: Vec::new(),
            setup,
            journal,
        }
    }
}

/// An execution that has no job yet.
pub(crate) fn new_execution(setup: &Setup, classes: bool) -> Execution {
    let mut execution = Execution::new(classes && setup.classes, setup.identity);
    let everywhere = setup.identity.points == caissa_core::PointSet::All;
    let promoted = Ranges::of(&crate::modules::all(), setup.promoted.iter());
    let promoted: Vec<u32> = promoted.returns().map(code_number).collect();
    execution.set_data_points(everywhere, &promoted);
    execution.set_clocks(setup.races);
    execution
}

/// The number of an object in the core: objects that synchronise have even ones, so that they do not depend on how much data was met before.
#[inline]
pub(crate) fn number(object: usize) -> ObjectId {
    ObjectId(2 * object as u32)
}

/// Where the object with this number is.
#[inline]
pub(crate) fn index(object: ObjectId) -> usize {
    object.0 as usize / 2
}
