//! The sentences about a data race: the two accesses, and what would have ordered them.
//!
//! What is missing is looked for in the trace: something that the first task did after its access and the second one before its own,
//! both to one object. Orders through further tasks are not looked for.

use std::fmt;

use caissa_core::{Bug, DataAccess, Event, MemoryOrder, Note, ObjectId, ObjectKind, OpKind};

use super::Finding;

/// What a task does to a cell, in words.
fn does(access: &DataAccess) -> &'static str {
    if access.writes { "writes" } else { "reads" }
}

/// What went wrong.
pub(super) fn summary(
    finding: &Finding,
    object: ObjectId,
    first: &DataAccess,
    second: &DataAccess,
    overlaps: bool,
) -> String {
    let (one, other) = (finding.task(first.task), finding.task(second.task));
    let how = if overlaps { "the first is not over when the second comes" } else { "nothing orders the two" };
    format!(
        "data race on cell#{}: task {one} {} it at {}, task {other} {} it at {}, and {how}.",
        object.0,
        does(first),
        first.source,
        does(second),
        second.source,
    )
}

/// What would have ordered the two accesses.
pub(super) fn details(
    f: &mut fmt::Formatter<'_>,
    finding: &Finding,
    first: &DataAccess,
    second: &DataAccess,
    overlaps: bool,
) -> fmt::Result {
    if overlaps {
        return writeln!(
            f,
            "In reality both could happen at the same time. Hold a lock until `with` or `with_mut` has returned, or leave it \
             before others can come.\n"
        );
    }
    match link(finding) {
        Some((left, entered)) => {
            let words = |event: &Event| {
                let order = order(event).map_or(String::new(), |order| format!(" ({order:?})"));
                format!("{}'s `{}`{order} at {}", finding.task(event.task), event.op, event.source)
            };
            writeln!(
                f,
                "Between the two accesses come {} and {}, {}.\n",
                words(left),
                words(entered),
                missing(left, entered)
            )
        }
        None => writeln!(
            f,
            "Nothing that {} does afterwards is seen by {} before its own access. Hold one lock around both accesses, or let \
             one task wait for the other: by a join, a channel, or a Release store that an Acquire load sees.\n",
            finding.task(first.task),
            finding.task(second.task)
        ),
    }
}

/// What a finding has to do with races whose places were made points.
pub(super) fn promoted(f: &mut fmt::Formatter<'_>, finding: &Finding, races: &[[String; 2]]) -> fmt::Result {
    if races.is_empty() {
        return Ok(());
    }
    if let Bug::Race { .. } = finding.bug {
        writeln!(
            f,
            "Its accesses were made scheduling points and the search began again; nothing else was found to go wrong."
        )?;
    } else {
        writeln!(f, "It comes of accesses that nothing orders, which were made scheduling points:")?;
    }
    for [one, other] in races {
        writeln!(f, "  {one} and {other}")?;
    }
    writeln!(f)
}

/// The ordering with which an event took effect, if it is an atomic's.
fn order(event: &Event) -> Option<MemoryOrder> {
    let failed = matches!(event.note, Note::Refused { .. } | Note::Tried(false));
    let compares = event.op.kind == OpKind::CompareExchange;
    let order = if failed && compares { event.op.failure_order } else { event.op.order };
    (order != MemoryOrder::None).then_some(order)
}

/// Why what lies between orders nothing.
fn missing(left: &Event, entered: &Event) -> String {
    if entered.op.kind == OpKind::Store {
        return "but a store sees nothing: what reads and writes in one step (swap, compare_exchange) would"
            .to_owned();
    }
    let (Some(left), Some(entered)) = (order(left), order(entered)) else {
        return "which order nothing by themselves".to_owned();
    };
    let releases = matches!(left, MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst);
    let acquires = matches!(entered, MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst);
    match (releases, acquires) {
        (false, false) => "but they give no order: Release there and Acquire here would".to_owned(),
        (false, true) => format!("but {left:?} gives no order there: Release would"),
        (true, false) => format!("but {entered:?} gives no order here: Acquire would"),
        (true, true) => "but the second does not see the first: another store came in between".to_owned(),
    }
}

/// The events of the two accesses, by their numbers in the trace.
fn accesses(finding: &Finding) -> Option<(usize, usize)> {
    let Bug::Race { object, first, second, .. } = &finding.bug else { return None };
    let is = |event: &Event, access: &DataAccess| {
        matches!(event.op.kind, OpKind::CellRead | OpKind::CellWrite)
            && event.op.object == *object
            && event.task == access.task
            && event.source == access.source
            // An access that is a step has been counted as one.
            && event.step + !event.aside as u32 == access.step
    };
    let events = &finding.trace.events;
    let later = events.iter().rposition(|event| is(event, second))?;
    let earlier = events[..later].iter().rposition(|event| is(event, first))?;
    Some((earlier, later))
}

/// What the table says of the two accesses.
pub(super) fn marked(finding: &Finding) -> Vec<(usize, &'static str)> {
    accesses(finding)
        .map_or_else(Vec::new, |(earlier, later)| vec![(earlier, "one access"), (later, "the other: a race")])
}

/// What the first task did after its access and the second one before its own, to one object: the last such pair, an atomic's
/// if there is one.
fn link(finding: &Finding) -> Option<(&Event, &Event)> {
    let (earlier, later) = accesses(finding)?;
    let events = &finding.trace.events;
    let (one, other) = (events[earlier].task, events[later].task);
    let between = &events[earlier + 1..later];
    let kind = |event: &Event| event.op.kind.object_kind();
    let mut found = None;
    let is_other = |event: &Event| event.task == other && !event.op.kind.is_fault();
    for (index, entered) in between.iter().enumerate().filter(|(_, event)| is_other(event)) {
        let same = |left: &&Event| {
            left.task == one
                && !left.op.kind.is_fault()
                && left.op.object == entered.op.object
                && kind(left) == kind(entered)
                && !matches!(kind(left), ObjectKind::Task | ObjectKind::Cell)
                && !(left.op.kind.only_reads() && entered.op.kind.only_reads())
        };
        let changes = |left: &&Event| same(left) && !left.op.kind.only_reads();
        if let Some(left) = between[..index].iter().rev().find(changes) {
            let better =
                found.is_none_or(|(old, _): (&Event, &Event)| order(old).is_none() || order(left).is_some());
            if better {
                found = Some((left, entered));
            }
        }
    }
    found
}
