//! The sentences about a data race: the two accesses, and what would have ordered them.
//!
//! What is missing is looked for in the trace: something that the first task did after its access and the second one before its own,
//! both to one object. Orders through further tasks are not looked for.

use std::fmt;

use caissa_core::{Bug, DataAccess, Event, MemoryOrder, Note, ObjectId, ObjectKind, OpKind};

use super::Finding;

/// What a task does to a cell, in words.
fn does(access: &DataAccess, by_pointer: bool) -> &'static str {
    match access.writes {
        _ if by_pointer => "takes a pointer to",
        true => "writes",
        false => "reads",
    }
}

/// Whether the two accesses are calls of `UnsafeCell::get`.
fn by_pointer(finding: &Finding) -> [bool; 2] {
    let is_get = |index: usize| finding.trace.events[index].op.kind == OpKind::CellGet;
    accesses(finding).map_or([false; 2], |(earlier, later)| [is_get(earlier), is_get(later)])
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
    let [one_points, other_points] = by_pointer(finding);
    let how = if overlaps { "the first is not over when the second comes" } else { "nothing orders the two" };
    format!(
        "data race on {}: task {one} {} it at {}, task {other} {} it at {}, and {how}.",
        finding.objects.of(ObjectKind::Cell, object),
        does(first, one_points),
        first.source,
        does(second, other_points),
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
    if by_pointer(finding).contains(&true) {
        writeln!(
            f,
            "`get` counts as a write when it is called, whatever is done through the pointer and when. `with` and `with_mut` \
             say that a task reads or writes, and until when."
        )?;
    }
    if overlaps {
        return writeln!(
            f,
            "In reality both could happen at the same time. Hold a lock until `with` or `with_mut` has returned, or leave it \
             before others can come.\n"
        );
    }
    match link(finding) {
        Some(link) => {
            let (left, entered) = link.events(finding);
            let words = |event: &Event| {
                let order = order(event).map_or(String::new(), |order| format!(" ({order:?})"));
                let op = finding.objects.op(event.op);
                format!("{}'s `{op}`{order} at {}", finding.task(event.task), event.source)
            };
            writeln!(
                f,
                "Between the two accesses come {} and {}, {}.\n",
                words(left),
                words(entered),
                link.missing(finding)
            )
        }
        None => details_without_link(f, finding, first, second),
    }
}

/// As `details`, where nothing lies between.
fn details_without_link(
    f: &mut fmt::Formatter<'_>,
    finding: &Finding,
    first: &DataAccess,
    second: &DataAccess,
) -> fmt::Result {
    match read_lock(finding) {
        Some(lock) => writeln!(
            f,
            "Both tasks hold {}, but only for reading, and so at the same time. Who writes has to hold it by `write`.\n",
            finding.objects.of(ObjectKind::RwLock, lock)
        ),
        None => writeln!(
            f,
            "Nothing that {} does afterwards is seen by {} before its own access. Hold one lock around both accesses, or let \
             one task wait for the other: by {}.\n",
            finding.task(first.task),
            finding.task(second.task),
            finding.words.what_orders()
        ),
    }
}

/// What a finding has to do with races whose places were made points.
///
/// `stopped`: the search with them ended before its time.
pub(super) fn promoted(
    f: &mut fmt::Formatter<'_>,
    finding: &Finding,
    races: &[[String; 2]],
    stopped: bool,
) -> fmt::Result {
    if races.is_empty() {
        return Ok(());
    }
    if let Bug::Race { .. } = finding.bug {
        let so_far = if stopped { " before the budget ended" } else { "" };
        writeln!(
            f,
            "Its accesses were made scheduling points and the search began again; nothing else was found to go wrong{so_far}."
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

fn releases(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
}

fn acquires(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
}

/// What the first task did after its access and the second one before its own, to one object: events by their numbers.
struct Link {
    left: usize,
    entered: usize,
}

impl Link {
    fn events<'a>(&self, finding: &'a Finding) -> (&'a Event, &'a Event) {
        (&finding.trace.events[self.left], &finding.trace.events[self.entered])
    }

    /// Why it orders nothing.
    fn missing(&self, finding: &Finding) -> String {
        let (left, entered) = self.events(finding);
        if entered.op.kind == OpKind::Store {
            return "but a store sees nothing: what reads and writes in one step (swap, compare_exchange) would"
                .to_owned();
        }
        let (Some(stored), Some(loaded)) = (order(left), order(entered)) else {
            return "which order nothing by themselves".to_owned();
        };
        // A fence on the right side of it does as well.
        let events = &finding.trace.events;
        let (earlier, later) = accesses(finding).unwrap_or((self.left, self.entered));
        let fence = |task, event: &Event, does: fn(MemoryOrder) -> bool| {
            event.task == task && event.op.kind == OpKind::Fence && does(event.op.order)
        };
        let releases = releases(stored)
            || events[earlier..self.left].iter().any(|event| fence(left.task, event, releases));
        let acquires = acquires(loaded)
            || events[self.entered..later].iter().any(|event| fence(entered.task, event, acquires));
        match (releases, acquires) {
            (false, false) => "but they give no order: Release there and Acquire here would".to_owned(),
            (false, true) => format!("but {stored:?} gives no order there: Release would"),
            (true, false) => format!("but {loaded:?} gives no order here: Acquire would"),
            (true, true) => "but the second does not see the first: another store came in between".to_owned(),
        }
    }
}

/// A lock that both tasks hold for reading when they come to their accesses.
fn read_lock(finding: &Finding) -> Option<ObjectId> {
    let (earlier, later) = accesses(finding)?;
    let events = &finding.trace.events;
    let held = |access: usize| {
        let mut held = Vec::new();
        for event in events[..access].iter().filter(|event| event.task == events[access].task) {
            match event.op.kind {
                OpKind::Read | OpKind::TryRead if event.note != Note::Tried(false) => {
                    held.push(event.op.object)
                }
                OpKind::ReadUnlock => {
                    let last = held.iter().rposition(|&object| object == event.op.object);
                    last.map(|index| held.remove(index));
                }
                _ => {}
            }
        }
        held
    };
    let others = held(later);
    held(earlier).into_iter().find(|object| others.contains(object))
}

/// The events of the two accesses, by their numbers in the trace.
fn accesses(finding: &Finding) -> Option<(usize, usize)> {
    let Bug::Race { object, first, second, .. } = &finding.bug else { return None };
    let is = |event: &Event, access: &DataAccess| {
        matches!(event.op.kind, OpKind::CellRead | OpKind::CellWrite | OpKind::CellGet)
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

/// What the table says of the two accesses; and what the sentences name has to be in it.
pub(super) fn marked(finding: &Finding) -> Vec<(usize, &'static str)> {
    let Some((earlier, later)) = accesses(finding) else { return Vec::new() };
    let mut marked = vec![(earlier, "one access"), (later, "the other: a race")];
    if let Some(Link { left, entered }) = link(finding) {
        marked.extend([(left, ""), (entered, "")]);
    }
    marked
}

/// What lies between the two accesses: the last such pair, an atomic's if there is one.
fn link(finding: &Finding) -> Option<Link> {
    let (earlier, later) = accesses(finding)?;
    let events = &finding.trace.events;
    let (one, other) = (events[earlier].task, events[later].task);
    let between = &events[earlier + 1..later];
    let kind = |event: &Event| event.op.kind.object_kind();
    let mut found: Option<Link> = None;
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
        let refused = |left: &Event| matches!(left.note, Note::Refused { .. });
        let changes = |left: &&Event| same(left) && !left.op.kind.only_reads() && !refused(left);
        if let Some(left) = between[..index].iter().rposition(|left| changes(&left)) {
            let is_atomic = |index: usize| order(&events[index]).is_some();
            let left = earlier + 1 + left;
            if found.as_ref().is_none_or(|old| !is_atomic(old.left) || is_atomic(left)) {
                found = Some(Link { left, entered: earlier + 1 + index });
            }
        }
    }
    found
}
