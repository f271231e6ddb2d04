//! The sentences of a report.

use std::collections::BTreeSet;
use std::fmt;

use caissa_core::{Blocked, Bug, Cost, ObjectKind, OpKind, PanicNote, Source, TaskId};

use super::{Finding, MAX_TASKS, count, races};

/// Two sentences: what went wrong, and what it takes.
pub(super) fn summary(finding: &Finding, replayed: bool) -> String {
    format!("{}\n{}", what(finding), cost(finding, replayed))
}

/// What went wrong.
pub(super) fn what(finding: &Finding) -> String {
    match &finding.bug {
        Bug::Panic { panic, .. } => panicked(finding, panic),
        Bug::Deadlock { blocked, cycle } if cycle.is_empty() => {
            format!("deadlock: {} can never go on.", tasks(finding, blocked.iter().map(|b| b.task)))
        }
        Bug::Deadlock { cycle, .. } if cycle.len() == 1 => {
            format!("deadlock: {} waits for itself.", tasks(finding, cycle.iter().copied()))
        }
        Bug::Deadlock { cycle, .. } => {
            format!("deadlock: {} wait for each other.", tasks(finding, cycle.iter().copied()))
        }
        Bug::Livelock { cycle, after, .. } => {
            let after = after
                .as_ref()
                .map_or(String::new(), |panic| format!(" Before, {}", panicked(finding, panic)));
            let (who, one) =
                (tasks(finding, cycle.tasks.iter().map(|(task, _)| *task)), cycle.tasks.len() == 1);
            let goes = if one { "goes round for ever and gets" } else { "go round for ever and get" };
            format!("livelock: {who} {goes} no further, though every task that can run does.{after}")
        }
        Bug::GoodSamaritan { task, cycle, .. } => {
            let places = cycle.places(*task);
            let first = places.first().map_or(String::new(), |place| format!(" The loop begins at {place}."));
            let [_, _, yielding] = finding.words.yielding();
            format!(
                "good-samaritan violation: task {} loops for ever without {yielding}, and nothing makes it let others run.{first}",
                finding.task(*task)
            )
        }
        Bug::Race { object, first, second, overlaps } => {
            races::summary(finding, *object, first, second, *overlaps)
        }
    }
}

fn panicked(finding: &Finding, note: &PanicNote) -> String {
    finding.words.panicked(&finding.task(note.task), note)
}

/// What the schedule needs, and whether less would do.
fn cost(finding: &Finding, replayed: bool) -> String {
    if replayed {
        let preemptions = finding.preemptions;
        let unit = Cost::Preemptions.unit(preemptions);
        return format!("This schedule has {preemptions} {unit}{}.", and_faults(finding));
    }
    let unit = finding.cost.unit(finding.spent);
    let amount = if finding.spent == 0 { "no".to_owned() } else { finding.spent.to_string() };
    let mut text = format!("The schedule needs {amount} {unit}");
    if finding.cost != Cost::Preemptions {
        let preemptions = finding.preemptions;
        text.push_str(&format!(" ({preemptions} {})", Cost::Preemptions.unit(preemptions)));
    }
    text.push_str(&and_faults(finding));
    if let Some(cycle) = finding.bug.cycle()
        && finding.trace.schedule.repeat.is_some()
    {
        let at_most = if finding.minimal { "" } else { " at most" };
        let steps = match cycle.repeat.to - cycle.repeat.from {
            1 => "the one step of a round was".to_owned(),
            steps => format!("the {steps} steps of a round were"),
        };
        text.push_str(&format!(" for its first round{at_most}; {steps} then repeated (pumped)"));
        text.push_str(if finding.minimal { ". Nothing cheaper fails." } else { "." });
    } else if finding.preemptions == 0 {
        text.push_str(": no task is interrupted, each runs until it blocks or ends.");
    } else if finding.spent == 0 {
        text.push_str(": the scheduler's own schedule fails.");
    } else if finding.minimal {
        text.push_str("; every schedule with fewer was explored and none of them fails.");
    } else {
        text.push_str(" at most; whether fewer would do was not explored.");
    }
    text
}

/// The faults of a finding, in words.
fn and_faults(finding: &Finding) -> String {
    match finding.faults {
        0 => String::new(),
        1 => " and 1 fault".to_owned(),
        n => format!(" and {n} faults"),
    }
}

/// So many of very many tasks are named in a sentence.
const NAMED: usize = 5;

fn tasks(finding: &Finding, mut tasks: impl Iterator<Item = TaskId>) -> String {
    let mut names: Vec<String> = tasks.by_ref().take(MAX_TASKS).map(|task| finding.task(task)).collect();
    if let more @ 1.. = tasks.count() {
        names.truncate(NAMED);
        names.push(count((more + MAX_TASKS - NAMED) as u64, "other"));
    }
    match &names[..] {
        [] => "no task".to_owned(),
        [one] => format!("task {one}"),
        [most @ .., last] => format!("tasks {} and {last}", most.join(", ")),
    }
}

/// What a panic was passed on by, and what blocked tasks wait for: not all of very many, unless everything is to be shown.
pub(super) fn details(f: &mut fmt::Formatter<'_>, finding: &Finding, full: bool) -> fmt::Result {
    let blocked = match &finding.bug {
        Bug::Panic { passed_on, blocked, .. } => {
            if let Some(note) = passed_on {
                writeln!(f, "It was passed on: {}\n", panicked(finding, note))?;
            }
            if !blocked.is_empty() {
                writeln!(f, "After it, no task could go on:")?;
            }
            blocked
        }
        Bug::Deadlock { blocked, .. } => blocked,
        Bug::Livelock { cycle, .. } | Bug::GoodSamaritan { cycle, .. } => {
            for (task, places) in &cycle.tasks {
                write!(f, "  task {} goes round through ", finding.task(*task))?;
                writeln!(f, "{}", shown_places(places))?;
            }
            if let Bug::GoodSamaritan { .. } = finding.bug {
                writeln!(f, "A loop that waits should say so: {}", finding.words.how_to_yield())?;
            }
            writeln!(
                f,
                "If a loop here has an end of its own that does not show, raise {}.",
                finding.words.setting("max_steps")
            )?;
            return writeln!(f);
        }
        Bug::Race { first, second, overlaps, .. } => {
            return races::details(f, finding, first, second, *overlaps);
        }
    };
    let mut shown: Vec<&Blocked> = blocked.iter().collect();
    if shown.len() > MAX_TASKS && !full {
        // Those that wait for each other come first.
        let cycle: BTreeSet<TaskId> = match &finding.bug {
            Bug::Deadlock { cycle, .. } => cycle.iter().copied().collect(),
            _ => BTreeSet::new(),
        };
        shown.sort_by_key(|blocked| !cycle.contains(&blocked.task));
        shown.truncate(MAX_TASKS);
    }
    for blocked in &shown {
        write_blocked(f, finding, blocked)?;
    }
    if let more @ 1.. = blocked.len() - shown.len() {
        writeln!(f, "  and {}", count(more as u64, "more task"))?;
    }
    if !blocked.is_empty() && !blocked.iter().any(|blocked| blocked.task == TaskId::MAIN) {
        match finding.words.left_waiting() {
            "" => {}
            words => writeln!(f, "{words}")?,
        }
    }
    if !blocked.is_empty() {
        writeln!(f)?;
    }
    Ok(())
}

/// Places in a few words: a file is named once, in a row.
fn shown_places(places: &[Source]) -> String {
    let mut text = String::new();
    let mut file = "";
    let mut line = 0;
    for place in places {
        if place.file() == file && std::mem::replace(&mut line, place.line()) == place.line() {
            continue;
        }
        line = place.line();
        if !text.is_empty() {
            text.push_str(", ");
        }
        if place.file() == file {
            text.push_str(&format!("line {}", place.line()));
        } else {
            file = place.file();
            text.push_str(&format!("{file}:{}", place.line()));
        }
    }
    text
}

fn write_blocked(f: &mut fmt::Formatter<'_>, finding: &Finding, blocked: &Blocked) -> fmt::Result {
    let op = blocked.op;
    let object = finding.objects.of(op.kind.object_kind(), op.object);
    let what = match op.kind {
        OpKind::Wait => format!("waits for a notification of {object}"),
        OpKind::Park => "is parked and nobody unparks it".to_owned(),
        OpKind::Recv => format!("waits for a message on {object}, which still has senders"),
        OpKind::ScopeEnd => "waits for the tasks of its scope to end".to_owned(),
        OpKind::Await => "awaits a wake-up".to_owned(),
        OpKind::CallOnce | OpKind::GetOrInit | OpKind::Force | OpKind::AwaitOnce | OpKind::AwaitOnceForce => {
            format!("waits for {object} to be done")
        }
        OpKind::Statement => "waits".to_owned(),
        OpKind::FutexWait | OpKind::FutexWaitUntil => match blocked.source.call() {
            "" => format!("waits at {object} to be woken"),
            call => format!("waits in {call} ({object})"),
        },
        OpKind::Leave => format!("waits at {object} for others to arrive"),
        _ => format!("waits to {}", finding.objects.op(op)),
    };
    write!(f, "  task {} {what} at {}", finding.task(blocked.task), blocked.source)?;
    match &blocked.waits_for[..] {
        [] => {}
        [own] if *own == blocked.task && op.kind == OpKind::Await => {
            write!(f, ", which could only come from itself")?;
        }
        [own] if *own == blocked.task && op.kind.object_kind() == ObjectKind::Once => {
            write!(f, ", which it does itself")?;
        }
        [own] if *own == blocked.task => write!(f, ", which it holds itself")?,
        others if op.kind == OpKind::ScopeEnd => {
            write!(f, ": {} never ends", tasks(finding, others.iter().copied()))?;
        }
        others if op.kind == OpKind::Join => {
            write!(f, ": {} never ends", tasks(finding, others.iter().copied()))?
        }
        others if op.kind == OpKind::Await => {
            write!(f, ", which would come from {}", tasks(finding, others.iter().copied()))?;
        }
        others if op.kind.object_kind() == ObjectKind::Once => {
            write!(f, ", which {} has begun", tasks(finding, others.iter().copied()))?;
        }
        others => write!(f, ", held by {}", tasks(finding, others.iter().copied()))?,
    }
    if let Some(clause) = &blocked.clause {
        write!(f, ": {clause}")?;
    }
    writeln!(f)
}
