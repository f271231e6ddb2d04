//! Preemption sealing: where tasks are not to be left as long as they can go on (core's `execution/seal.rs`).
//!
//! A point is sealed if its task is in a `no_preempt` scope, or if there are `preempt_only` scopes and it is in none of them.
//! Scopes are dynamic: those of the guards that the task holds ([`crate::no_preempt`], [`crate::preempt_only`]), and those of the
//! functions on its stack whose names were given ([`crate::Builder::no_preempt`], [`crate::Builder::preempt_only`]).
//!
//! That there are `preempt_only` guards has to be known from the first point of a search on. So the first execution, which is run
//! before any search, must come to one of them; a guard that turns up later is refused.
//!
//! Looking at stacks takes microseconds: it is done only where names were given, at points with other enabled tasks. A replay of
//! a given schedule ignores seals.
//!
//! Not seen: functions that names in backtraces do not tell ([`super::callers`]); callers that have left the stack because the
//! call was their last act (optimised code makes these jumps).

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use caissa_check::Sealing;
use caissa_core::TaskId;

use super::callers::{self, Callers};
use super::object::Stamp;
use super::path::{Path, is_bare};
use super::{Engine, Misuse, Rt, Source};

/// What a scope does to preemptions of the task that is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// There are none.
    Sealed,
    /// There are none outside of such scopes.
    Open,
}

/// A function or module that was named.
#[derive(Debug)]
struct Name {
    scope: Scope,
    text: String,
    path: Path,
    /// A task was there.
    met: AtomicBool,
}

/// What is sealed in a check; shared by its engines.
#[derive(Debug, Default)]
pub(crate) struct Seals {
    names: Vec<Name>,
    /// Nothing is sealed, whatever there is.
    ignored: bool,
    /// Whether there are `preempt_only` guards.
    guards: AtomicU8,
    /// A task was in the scope of a `no_preempt` guard.
    closed: AtomicBool,
    /// A task was not left although another one was enabled.
    left_out: AtomicBool,
    /// A function whose path is not known, with its file.
    bare: Mutex<Option<(String, String)>>,
}

/// Nothing is known of guards yet.
const UNKNOWN: u8 = 0;
/// There are some.
const SOME: u8 = 1;
/// The search relies on there being none.
const NONE: u8 = 2;

impl Seals {
    /// Seals by these names; `Err` with the first that is no path.
    pub(crate) fn new(no_preempt: &[String], preempt_only: &[String]) -> Result<Seals, (Scope, String)> {
        let sealed = no_preempt.iter().map(|text| (Scope::Sealed, text));
        let open = preempt_only.iter().map(|text| (Scope::Open, text));
        let name = |(scope, text): (Scope, &String)| {
            let path = Path::new(text).ok_or((scope, text.clone()))?;
            Ok(Name { scope, text: text.trim().to_owned(), path, met: AtomicBool::new(false) })
        };
        let names = sealed.chain(open).map(name).collect::<Result<_, _>>()?;
        Ok(Seals { names, ..Seals::default() })
    }

    /// No seals: guards do nothing.
    pub(crate) fn ignored() -> Seals {
        Seals { ignored: true, ..Seals::default() }
    }

    /// Whether points have to be looked at before any guard is made.
    pub(crate) fn are_there_at_the_start(&self) -> bool {
        !self.names.is_empty() || self.guards.load(Relaxed) == SOME
    }

    /// Whether there are `preempt_only` guards, as far as is known.
    pub(crate) fn has_guards(&self) -> bool {
        self.guards.load(Relaxed) == SOME
    }

    /// The first execution has ended: if it had no `preempt_only` guard there are none.
    pub(crate) fn rely_on_guards(&self) {
        let _ = self.guards.compare_exchange(UNKNOWN, NONE, Relaxed, Relaxed);
    }

    /// Whether there are preemptions in some scopes only.
    fn is_open_only(&self) -> bool {
        self.has_guards() || self.names.iter().any(|name| name.scope == Scope::Open)
    }

    /// Whether names alone seal a point with this stack, without guards; `None` if they allow it, even if there are `preempt_only`
    /// scopes.
    fn by_names(&self, callers: &Callers) -> Option<bool> {
        if let Some(bare) = callers.find(|name, file| is_bare(name) && is_of_program(file)) {
            let mut known = self.bare.lock().unwrap_or_else(PoisonError::into_inner);
            known.get_or_insert_with(|| (bare.0.to_owned(), bare.1.to_owned()));
        }
        let mut allowed = Some(false);
        for name in &self.names {
            if callers.any(|function, _| name.path.covers(function)) {
                name.met.store(true, Relaxed);
                match name.scope {
                    Scope::Sealed => allowed = Some(true),
                    Scope::Open if allowed == Some(false) => allowed = None,
                    Scope::Open => {}
                }
            }
        }
        allowed
    }
}

impl Sealing for Seals {
    fn has_left_out(&self) -> bool {
        self.left_out.load(Relaxed)
    }

    fn set_left_out(&self) {
        if !self.left_out.load(Relaxed) {
            self.left_out.store(true, Relaxed);
        }
    }

    fn words(&self) -> String {
        let list = |scope: Scope, guard: Option<&str>| {
            let names = self.names.iter().filter(|name| name.scope == scope);
            let mut places: Vec<String> = names.map(|name| format!("`{}`", name.text)).collect();
            places.extend(guard.map(|guard| format!("scopes of `caissa::{guard}()`")));
            match places.pop() {
                Some(last) if places.is_empty() => Some(last),
                Some(last) => Some(format!("{} or {last}", places.join(", "))),
                None => None,
            }
        };
        // Else it was in another process.
        let closed = self.closed.load(Relaxed) || self.names.is_empty() && !self.has_guards();
        let sealed = list(Scope::Sealed, closed.then_some("no_preempt"));
        let open = list(Scope::Open, self.has_guards().then_some("preempt_only"));
        let sealed = sealed.map(|places| format!("no preemption in {places}"));
        let open = open.map(|places| format!("preemptions only in {places}"));
        sealed.into_iter().chain(open).collect::<Vec<_>>().join(" and ")
    }

    /// Which names made no difference, and whether some functions have none.
    fn notes(&self) -> Vec<String> {
        let unmet = self.names.iter().filter(|name| !name.met.load(Relaxed));
        let mut notes: Vec<String> = unmet
            .map(|name| {
                format!(
                    "{}: no task came to a point in anything called `{}`. It has to be the path by which it is defined, beginning \
                     with the crate; a function that was inlined is seen only where there is debug information.",
                    setting_of(name.scope),
                    name.text
                )
            })
            .collect();
        let bare = self.bare.lock().unwrap_or_else(PoisonError::into_inner);
        notes.extend(bare.as_ref().map(|(name, file)| {
            format!(
                "the paths of some functions are not known, such as that of `{name}` in {file}, and `no_preempt` and `preempt_only` \
                 pass over them: they were built with line tables only. Build them with `debug = \"limited\"` or more, or use the \
                 guards of the same name."
            )
        }));
        notes
    }
}

/// Whether functions of this file are the program's: not std's, nor ours.
fn is_of_program(file: &str) -> bool {
    let others = ["/rustc/", "caissa/src/"];
    file.ends_with(".rs") && !others.iter().any(|other| file.replace('\\', "/").contains(other))
}

/// The setting that makes such scopes.
pub(crate) fn setting_of(scope: Scope) -> &'static str {
    match scope {
        Scope::Sealed => "no_preempt",
        Scope::Open => "preempt_only",
    }
}

/// How many guards of each kind a task holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    sealed: u32,
    open: u32,
}

impl Held {
    fn of(&mut self, scope: Scope) -> &mut u32 {
        match scope {
            Scope::Sealed => &mut self.sealed,
            Scope::Open => &mut self.open,
        }
    }
}

/// The task that holds a guard, and its execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holder(Stamp, TaskId);

impl Rt {
    /// The running task enters the scope of a guard. `None` if that means nothing.
    pub(crate) fn enter_scope(self, scope: Scope, source: Source) -> Option<Holder> {
        let engine = self.engine();
        let seals = &engine.settings.seals;
        if seals.ignored {
            return None;
        }
        match scope {
            Scope::Sealed => seals.closed.store(true, Relaxed),
            Scope::Open => match seals.guards.load(Relaxed) {
                NONE if engine.aborting => return None,
                NONE => self.misuse(Misuse::LateScope { source }),
                _ => seals.guards.store(SOME, Relaxed),
            },
        }
        engine.settings.reliance.seal();
        engine.sealing = true;
        engine.heeds = true;
        let me = engine.running;
        *engine.tasks[me.index()].held.of(scope) += 1;
        Some(Holder(engine.stamp, me))
    }

    /// A guard is dropped.
    pub(crate) fn leave_scope(self, scope: Scope, Holder(stamp, task): Holder) {
        let engine = self.engine();
        if engine.stamp == stamp {
            *engine.tasks[task.index()].held.of(scope) -= 1;
        }
    }
}

impl Engine {
    /// Whether the point that the running task has come to is sealed.
    #[cold]
    pub(super) fn is_point_sealed(&mut self) -> bool {
        let alone = self.execution.is_alone();
        // Where nothing is at stake names are only looked for.
        if self.execution.is_starting() || alone && !self.execution.is_traced() {
            return false;
        }
        let seals = &self.settings.seals;
        let by_names = if seals.names.is_empty() {
            Some(false)
        } else {
            callers::of_current(&mut self.callers).judge(|callers| seals.by_names(callers))
        };
        let held = self.tasks[self.running.index()].held;
        let sealed = match by_names {
            Some(true) => true,
            _ if held.sealed > 0 => true,
            Some(false) => seals.is_open_only() && held.open == 0,
            None => false,
        };
        if sealed && !alone {
            seals.set_left_out();
        }
        sealed
    }
}
