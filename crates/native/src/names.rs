//! What tasks and objects of a native program are called.

use std::collections::{HashMap, HashSet};

use caissa_core::{Bug, Code, Event, Note, ObjectId, ObjectKind, Op, OpKind, Source, TaskId, Trace};
use caissa_search::Replay;
use caissa_wire::{FD_BITS, ObjectInfo, Replayed};

use crate::places::{LIBRARY, Places};

/// The names of an execution.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) tasks: Vec<Option<String>>,
    objects: HashMap<(ObjectKind, ObjectId), String>,
    pub(crate) pending: Vec<(TaskId, Op, Source)>,
    /// What is said of the finding beside its sentences.
    pub(crate) details: Vec<String>,
}

impl Names {
    pub(crate) fn object(&self, kind: ObjectKind, object: ObjectId) -> Option<String> {
        self.objects.get(&(kind, object)).cloned()
    }

    /// The program is a harness: its own thread comes first, then the one of the test.
    pub(crate) fn of_harness(&mut self) {
        for (task, name) in self.tasks.iter_mut().zip(["harness", "test"]) {
            *task = Some(name.to_owned());
        }
    }
}

/// Turns what a program has told of an execution into what others understand, and notes what things are called.
/// `promotes`: places of accesses are those that promotion is about.
pub(crate) fn translate(
    places: &Places,
    promoted: &[u32],
    promotes: bool,
    replayed: Replayed,
) -> (Replay, Names) {
    let Replayed {
        mut trace,
        ending,
        mut bug,
        place,
        related,
        spent,
        failure,
        tasks,
        objects,
        pending,
        stacks,
        digest,
        ..
    } = replayed;
    let mut names = Names::default();
    let show = |source: Source| match source {
        Source::Code(code) => places.of_call(code, &stacks),
        other => other,
    };
    names.details = details(places, &stacks, bug.as_ref(), place, &related);
    let race = match &bug {
        Some(Bug::Race { object, .. }) => Some(*object),
        _ => None,
    };
    translate_trace(places, &stacks, &mut trace, race);
    trace.schedule.promoted = promoted.to_vec();
    match &mut bug {
        Some(Bug::Race { first, second, .. }) => {
            for access in [first, second] {
                access.source = if promotes { of_access(places, access.source) } else { show(access.source) };
            }
        }
        Some(bug) => bug.map_sources(&mut |source| show(source)),
        None => {}
    }
    if let Some(Bug::Panic { panic, .. } | Bug::Livelock { after: Some(panic), .. }) = &mut bug
        && let Some(place) = place
    {
        panic.source = show(place).to_string();
    }
    names.tasks = tasks
        .iter()
        .map(|task| {
            let function = || (task.entry != 0).then(|| places.function(task.entry))?;
            // Where all threads written in Rust begin says nothing of one.
            let says_something = |name: &String| !name.starts_with("<std::") && !name.starts_with("std::");
            task.name.clone().or_else(|| function().filter(says_something))
        })
        .collect();
    if let Some(main) = names.tasks.first_mut() {
        main.get_or_insert_with(|| "main".to_owned());
    }
    for info in objects {
        if let Some(name) = object_name(places, &stacks, &info) {
            names.objects.insert((info.kind, info.object), name);
        }
    }
    names.pending = pending.into_iter().map(|(task, op, source)| (task, op, show(source))).collect();
    (Replay { trace, ending, bug, spent, failure, digest }, names)
}

fn of_access(places: &Places, source: Source) -> Source {
    match source {
        Source::Code(code) => places.of_access(code),
        other => other,
    }
}

fn is_data(event: &Event) -> bool {
    event.op.kind.object_kind() == ObjectKind::Cell
}

/// The task that runs a test for a harness.
const TEST: TaskId = TaskId(1);

/// What a harness does is of no interest.
pub(crate) fn leave_out_harness(replay: &mut Replay) {
    replay.trace.events.retain(|event| event.task != TaskId::MAIN);
    // Nor how it hands the test over to the thread that runs it.
    let events = &mut replay.trace.events;
    let begins =
        events.iter().position(|event| event.task != TEST || !event.source.file().starts_with(LIBRARY));
    events.drain(..begins.unwrap_or(events.len()));
    if let Some(Bug::Deadlock { blocked, .. } | Bug::Panic { blocked, .. }) = &mut replay.bug {
        blocked.retain(|blocked| blocked.task != TaskId::MAIN);
    }
    if let Some(Bug::Panic { panic, passed_on, blocked }) = &replay.bug
        && blocked.is_empty()
        && panic.kind == "panic"
    {
        // How the thread ends is none of the test's doing.
        let last = passed_on.iter().fold(panic.step, |last, note| last.max(note.step));
        replay.trace.events.retain(|event| event.step < last);
    }
}

/// The cells that several tasks access, and the one that a race is about.
fn shared_cells(trace: &Trace, race: Option<ObjectId>) -> HashSet<ObjectId> {
    let mut users: HashMap<ObjectId, TaskId> = HashMap::new();
    let mut shared: HashSet<ObjectId> = race.into_iter().collect();
    for event in trace.events.iter().filter(|event| is_data(event)) {
        if *users.entry(event.op.object).or_insert(event.task) != event.task {
            shared.insert(event.op.object);
        }
    }
    shared
}

fn translate_trace(places: &Places, stacks: &[Vec<u64>], trace: &mut Trace, race: Option<ObjectId>) {
    // What no other task has to do with is of no interest, nor what the language's own library does by itself.
    let shared = shared_cells(trace, race);
    let is_of_library = |event: &Event| match event.source {
        Source::Code(code) => places.is_of_rusts_library(code),
        _ => false,
    };
    trace.events.retain(|event| {
        !event.aside
            || Some(event.op.object) == race
            || !is_of_library(event) && (!is_data(event) || shared.contains(&event.op.object))
    });
    for event in &mut trace.events {
        let is_data = is_data(event);
        event.source = match event.source {
            Source::Code(code) if is_data => places.of_access(code),
            Source::Code(code) => places.of_call(code, stacks),
            other => other,
        };
    }
    let spawns = trace.events.iter().filter_map(|event| match event.note {
        Note::Spawned(task) => Some((task, event.source)),
        _ => None,
    });
    let spawns: HashMap<TaskId, Source> = spawns.collect();
    // Where a task begins and ends is nowhere in the program, but where it is started is.
    for event in &mut trace.events {
        if matches!(event.op.kind, OpKind::Start | OpKind::End)
            && let Some(&spawn) = spawns.get(&event.task)
        {
            event.source = spawn;
        }
    }
}

/// Where the program was, by its calls.
fn details(
    places: &Places,
    stacks: &[Vec<u64>],
    bug: Option<&Bug>,
    place: Option<Source>,
    related: &[(String, caissa_wire::Access)],
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut say = |head: String, source: Source, least: usize| {
        let Source::Code(code) = source else { return };
        let stack = stack_words(places, stacks, code);
        // The place alone is said elsewhere.
        if stack.len() > least {
            lines.push(head);
            lines.extend(stack.into_iter().map(|line| format!("  at {line}")));
        }
    };
    if let Some(Bug::Race { first, second, .. }) = bug {
        for access in [first, second] {
            let does = if access.writes { "writes" } else { "reads" };
            say(format!("{} {does} it", access.task), access.source, 0);
        }
    }
    if let (Some(Bug::Panic { panic, .. }), Some(place)) = (bug, place) {
        say(format!("{} is there by these calls", panic.task), place, 1);
    }
    for (what, access) in related {
        say(format!("{what} by {}", access.task), access.source, 0);
    }
    lines
}

fn stack_words(places: &Places, stacks: &[Vec<u64>], code: Code) -> Vec<String> {
    let stack = (code.stack as usize).checked_sub(1).and_then(|number| stacks.get(number));
    places.stack(stack.map_or(&[code.address][..], |stack| stack))
}

/// What an object is called: by its variable, by its block of the heap, by its stack.
fn object_name(places: &Places, stacks: &[Vec<u64>], info: &ObjectInfo) -> Option<String> {
    if info.kind == ObjectKind::File {
        return Some(format!("fd {}", info.address & ((1 << FD_BITS) - 1)));
    }
    if let Some((name, offset)) = places.variable(info.address) {
        return Some(if offset == 0 { name } else { format!("{name}+{offset}") });
    }
    let word = if info.kind == ObjectKind::Cell { "memory" } else { info.kind.word() };
    if let Some((block, Source::Code(code))) = info.block {
        let place = places.of_call(code, stacks);
        let offset = info.address - block;
        let offset = if offset == 0 { String::new() } else { format!("+{offset}") };
        return Some(format!("{word} allocated at {}:{}{offset}", place.file(), place.line()));
    }
    info.stack_of.map(|task| format!("{word} at {:#x} on the stack of {task}", info.address))
}
