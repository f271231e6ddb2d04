//! The sentences of a report.

use std::fmt;

use caissa_core::{Blocked, Bug, Cost, ObjectKind, OpKind, TaskId};

use super::{Finding, panic_words};

/// Two sentences: what went wrong, and what it takes.
pub(super) fn summary(finding: &Finding, replayed: bool) -> String {
    let what = match &finding.bug {
        Bug::Panic { panic, .. } => format!("task {} {}", finding.task(panic.task), panic_words(panic)),
        Bug::Deadlock { blocked, cycle } if cycle.is_empty() => {
            format!("deadlock: {} can never go on.", tasks(finding, blocked.iter().map(|b| b.task)))
        }
        Bug::Deadlock { cycle, .. } if cycle.len() == 1 => {
            format!("deadlock: {} waits for itself.", tasks(finding, cycle.iter().copied()))
        }
        Bug::Deadlock { cycle, .. } => {
            format!("deadlock: {} wait for each other.", tasks(finding, cycle.iter().copied()))
        }
    };
    format!("{what}\n{}", cost(finding, replayed))
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
    if finding.preemptions == 0 {
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

fn tasks(finding: &Finding, tasks: impl Iterator<Item = TaskId>) -> String {
    let names: Vec<String> = tasks.map(|task| finding.task(task)).collect();
    match &names[..] {
        [] => "no task".to_owned(),
        [one] => format!("task {one}"),
        [most @ .., last] => format!("tasks {} and {last}", most.join(", ")),
    }
}

/// What a panic was passed on by, and what each blocked task waits for.
pub(super) fn details(f: &mut fmt::Formatter<'_>, finding: &Finding) -> fmt::Result {
    let blocked = match &finding.bug {
        Bug::Panic { passed_on, blocked, .. } => {
            if let Some(note) = passed_on {
                writeln!(f, "It was passed on: task {} {}\n", finding.task(note.task), panic_words(note))?;
            }
            if !blocked.is_empty() {
                writeln!(f, "After it, no task could go on:")?;
            }
            blocked
        }
        Bug::Deadlock { blocked, .. } => blocked,
    };
    for blocked in blocked {
        write_blocked(f, finding, blocked)?;
    }
    if !blocked.is_empty() && !blocked.iter().any(|blocked| blocked.task == TaskId::MAIN) {
        writeln!(f, "The closure itself has returned. If tasks may be left waiting, set `allow_detached`.")?;
    }
    if !blocked.is_empty() {
        writeln!(f)?;
    }
    Ok(())
}

fn write_blocked(f: &mut fmt::Formatter<'_>, finding: &Finding, blocked: &Blocked) -> fmt::Result {
    let op = blocked.op;
    let what = match op.kind {
        OpKind::Wait => format!("waits for a notification of condvar#{}", op.object.0),
        OpKind::Park => "is parked and nobody unparks it".to_owned(),
        OpKind::Recv => format!("waits for a message on channel#{}, which still has senders", op.object.0),
        OpKind::ScopeEnd => "waits for the tasks of its scope to end".to_owned(),
        OpKind::Await => "awaits a wake-up".to_owned(),
        OpKind::CallOnce | OpKind::GetOrInit | OpKind::Force | OpKind::AwaitOnce | OpKind::AwaitOnceForce => {
            format!("waits for once#{} to be done", op.object.0)
        }
        OpKind::Leave => format!("waits at barrier#{} for others to arrive", op.object.0),
        _ => format!("waits to {op}"),
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
