//! The state hook: closures by which a program shows its state, and what they may look at.
//!
//! Hooks are called on the stack of whichever task has come to a point, before the choice is made, and at the end of the
//! execution ([`Rt::observe`]); not before the choice of a fault, since nothing has happened then that was not seen, or will not be
//! at the next point. While one runs there is no engine for our types to find, so nothing that it does is part of the
//! execution: no point, nothing in the class, the clocks or the trace, no yield. A type that can be looked at asks for [`peek`]
//! where it finds no engine. What does not ask is refused, since [`super::current`] does it for all.
//!
//! The state that was seen is kept as a hash of 64 bits, with a fixed function, for a search must count the same when it goes on
//! in another process. Not seen: collisions. With a million states the odds that any two collide are one in 37 million.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::hash::Hasher;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;

use caissa_core::class::mix2;
use caissa_core::{Ending, ObjectKind};

use super::once::destroy_quietly;
use super::task::drop_quietly;
use super::{Engine, Home, Misuse, Rt, Source, panics};

/// What a hook writes its value to.
pub(crate) type HookFn = Box<dyn Fn(&mut StateHasher) + Send>;

/// The hooks of the present execution, and what they have shown.
#[derive(Default)]
pub(crate) struct States {
    /// In the order in which they were set.
    hooks: Vec<(Source, HookFn)>,
    /// The states that executions of the present job have had.
    seen: BTreeSet<u64>,
    /// The hook that runs now, by where it was set.
    running: Option<Source>,
    /// What it did that it must not do; the first such thing.
    refused: Option<Misuse>,
    /// How it panicked, as the panic hook has seen it: the message and the place.
    panicked: Option<(String, String)>,
    /// The locks that it holds.
    held: Vec<Held>,
}

/// A lock that a hook holds, to look at what it guards. Its word says meanwhile that somebody outside holds it, so that it stays
/// out of use should the guard be kept beyond the hook.
struct Held {
    home: *const Home,
    /// The lock's word as it was.
    before: u64,
    object: Option<usize>,
    exclusive: bool,
    guards: usize,
}

impl States {
    #[inline]
    pub(super) fn are_watched(&self) -> bool {
        !self.hooks.is_empty()
    }

    /// An execution begins whose states do not count; returns what was seen before it.
    pub(super) fn put_aside(&mut self) -> BTreeSet<u64> {
        std::mem::take(&mut self.seen)
    }

    /// It has ended.
    pub(super) fn put_back(&mut self, seen: BTreeSet<u64>) {
        self.seen = seen;
    }

    /// What the executions since the last call have shown, by ascending hash.
    pub(super) fn take_seen(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.seen).into_iter().collect()
    }
}

/// Stands between the values of two hooks.
const END_OF_VALUE: u64 = 0x656e_6400;

/// A 64-bit hash that is the same in every process.
#[derive(Default)]
pub(crate) struct StateHasher(u64);

impl Hasher for StateHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        // Without the length `[0]` and `[0, 0]` would be the same.
        self.write_u64(bytes.len() as u64);
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(n as u64);
    }

    fn write_u16(&mut self, n: u16) {
        self.write_u64(n as u64);
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n as u64);
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = mix2(self.0.wrapping_add(1), n);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
}

thread_local! {
    /// The engine whose hook runs on this thread.
    static PEEKED: Cell<*mut Engine> = const { Cell::new(std::ptr::null_mut()) };
}

/// A hook runs on this thread, and may look at the execution of this engine.
#[derive(Clone, Copy)]
pub(crate) struct Peek(Rt);

/// What a hook unwinds with that was refused something.
struct Refused;

/// Whether a hook runs on this thread.
#[cold]
#[inline(never)]
pub(crate) fn peek() -> Option<Peek> {
    NonNull::new(PEEKED.with(Cell::get)).map(|engine| Peek(Rt(engine)))
}

/// There is no engine: if that is because a hook runs, it must not do what needs one.
#[cold]
#[inline(never)]
pub(super) fn refuse_hooks() {
    // What destructors do while a hook panics is not worth another panic.
    if let Some(peek) = peek().filter(|_| !std::thread::panicking()) {
        peek.refuse("does what only tasks do");
    }
}

/// A guard that no thread outside and no task has made is dropped: a hook may have.
#[cold]
#[inline(never)]
pub(crate) fn give_back(home: &Home) {
    if let Some(peek) = peek() {
        peek.give_back(home);
    }
}

impl Peek {
    fn states<'a>(self) -> &'a mut States {
        &mut self.0.engine().states
    }

    /// The hook does what it must not do.
    pub(crate) fn refuse(self, what: impl Into<String>) -> ! {
        self.misuse(|hook| Misuse::StateHookActs { what: what.into(), hook })
    }

    fn misuse(self, misuse: impl FnOnce(Source) -> Misuse) -> ! {
        let states = self.states();
        let hook = states.running.expect("a hook runs");
        states.refused.get_or_insert_with(|| misuse(hook));
        resume_unwind(Box::new(Refused))
    }

    /// The panic hook has seen a panic of the state hook.
    pub(super) fn panicked(self, message: String, place: String) {
        self.states().panicked.get_or_insert((message, place));
    }

    /// The object of a lock that the hook holds.
    pub(crate) fn held(self, home: &Home) -> Option<(Rt, usize)> {
        let held = self.states().held.iter().find(|held| std::ptr::eq(held.home, home))?;
        Some((self.0, held.object?))
    }

    /// Takes a lock, to look at what it guards; false if a task holds it.
    pub(crate) fn take(self, home: &Home, kind: ObjectKind, exclusive: bool, source: Source) -> bool {
        let engine = self.0.engine();
        if let Some(held) = engine.states.held.iter_mut().find(|held| std::ptr::eq(held.home, home)) {
            let shared = !exclusive && !held.exclusive;
            held.guards += shared as usize;
            return shared;
        }
        let object = match home.look(self.0, kind, source) {
            Ok(object) => object,
            Err(misuse) => self.misuse(|_| misuse),
        };
        let is_free = object.is_none_or(|index| {
            let object = &engine.objects[index];
            object.holder.is_none() && (!exclusive || object.queue.is_empty())
        });
        if is_free {
            let before = home.hold_for_hook();
            engine.states.held.push(Held { home, before, object, exclusive, guards: 1 });
        }
        is_free
    }

    /// As [`Peek::take`], for an operation that would wait.
    pub(crate) fn take_now(self, home: &Home, kind: ObjectKind, exclusive: bool, source: Source) {
        if !self.take(home, kind, exclusive, source) {
            self.refuse(format!(
                "waits at {source} for a {} that a task holds, and no task can run meanwhile",
                kind.word()
            ));
        }
    }

    fn give_back(self, home: &Home) {
        let states = self.states();
        let Some(index) = states.held.iter().position(|held| std::ptr::eq(held.home, home)) else { return };
        states.held[index].guards -= 1;
        if states.held[index].guards == 0 {
            let held = states.held.swap_remove(index);
            if home.end_hold(held.before) {
                let hook = states.running.expect("a hook runs");
                let what = "borrows mutably what a lock guards".to_owned();
                states.refused.get_or_insert(Misuse::StateHookActs { what, hook });
            }
        }
    }

    /// Reads a cell.
    pub(crate) fn read_cell(self, home: &Home, source: Source) {
        match home.look(self.0, ObjectKind::Cell, source) {
            Ok(Some(index)) if self.0.is_being_written(index) => {
                self.refuse(format!("reads a cell at {source} that a task is writing to"));
            }
            Ok(_) => {}
            Err(misuse) => self.misuse(|_| misuse),
        }
    }
}

/// While it lives hooks run on this thread.
struct Peeking;

impl Peeking {
    fn begin(rt: Rt) -> Peeking {
        PEEKED.with(|peeked| peeked.set(rt.0.as_ptr()));
        Peeking
    }
}

impl Drop for Peeking {
    fn drop(&mut self) {
        PEEKED.with(|peeked| peeked.set(std::ptr::null_mut()));
    }
}

impl Rt {
    /// The program shows its state by this from now on, in this execution.
    pub(crate) fn show_state(self, source: Source, hook: HookFn) {
        let engine = self.engine();
        if engine.aborting || engine.execution.ending().is_some() {
            return;
        }
        engine.states.hooks.push((source, hook));
        engine.heeds = true;
        engine.execution.watch();
        engine.settings.reliance.watch();
    }

    /// A choice is to be made, or the execution has ended: looks at the state. False if that was a mistake of the user's; the
    /// execution is over then.
    #[inline]
    pub(super) fn observe(self) -> bool {
        !self.engine().states.are_watched() || self.look_at_state()
    }

    #[cold]
    #[inline(never)]
    fn look_at_state(self) -> bool {
        let engine = self.engine();
        // A task that runs to its first operation is part of the step that has created it.
        if engine.execution.is_starting() {
            return true;
        }
        let hooks = std::mem::take(&mut engine.states.hooks);
        let mut hasher = StateHasher::default();
        let peeking = Peeking::begin(self);
        let called = Rt::without(|| {
            catch_unwind(AssertUnwindSafe(|| {
                for (source, hook) in &hooks {
                    self.engine().states.running = Some(source);
                    hook(&mut hasher);
                    hasher.write_u64(END_OF_VALUE);
                }
            }))
        });
        drop(peeking);
        let engine = self.engine();
        engine.states.hooks = hooks;
        let misuse = engine.states.misuse_of(called.err());
        engine.states.running = None;
        match misuse {
            None => {
                engine.states.seen.insert(hasher.finish());
                true
            }
            Some(misuse) => {
                engine.misuse.get_or_insert(misuse);
                engine.execution.end(Ending::Misused);
                false
            }
        }
    }

    /// The execution is over: looks at the state a last time.
    pub(super) fn observe_end(self) {
        if !matches!(self.engine().execution.ending(), Some(Ending::Misused | Ending::Diverged)) {
            self.observe();
        }
    }

    /// What is left of the execution has been unwound: forgets its hooks. What they have kept alive is destroyed outside it.
    pub(super) fn drop_hooks(self) {
        let hooks = std::mem::take(&mut self.engine().states.hooks);
        if !hooks.is_empty() {
            destroy_quietly(|| drop(hooks));
        }
    }
}

impl States {
    /// What was wrong with the hooks that have run, the last of which panicked with this or did not.
    fn misuse_of(&mut self, payload: Option<Box<dyn Any + Send>>) -> Option<Misuse> {
        let kept = !self.held.is_empty();
        if payload.is_none() && self.refused.is_none() && !kept {
            return None;
        }
        let (refused, seen) = (self.refused.take(), self.panicked.take());
        self.held.clear();
        let hook = self.running?;
        let panicked = payload.map(|payload| {
            let (message, place) =
                seen.unwrap_or_else(|| (panics::message(payload.as_ref()), "an unknown place".to_owned()));
            drop_quietly(payload);
            Misuse::StateHookPanicked { message, place, hook }
        });
        let kept = kept.then(|| Misuse::StateHookActs { what: "keeps a guard of a lock".to_owned(), hook });
        refused.or(panicked).or(kept)
    }
}
