//! Minimising: a failing execution is made small before it is shown.
//!
//! Smaller means: it costs less, by the cost of the search that found it; then fewer faults; then fewer preemptions; then fewer steps; then
//! fewer choices; then later ones, so that a switch stands where it matters. Choices are dropped or moved to later steps,
//! one at a time; of schedules that were sampled, segments of a task are put together first. Each attempt is replayed; it
//! counts only if it shows the same bug. What remains is a local minimum:
//! only a search that has exhausted all smaller bounds proves that no cheaper execution fails.

use caissa_core::{AtCut, Bug, Choice, Cost, Ending, Failure, GuideSpec, Job};

use crate::segments::Segments;
use crate::{Replay, Subject};

/// A failing execution that was replayed and made small.
#[derive(Clone, Debug)]
pub struct Minimised {
    /// The execution.
    pub replay: Replay,
    /// What is wrong with it.
    pub bug: Bug,
    /// The unit of `replay.spent`.
    pub cost: Cost,
    /// Replays that it took.
    pub attempts: u32,
}

/// What replaying a failure showed.
#[derive(Clone, Debug)]
pub enum Found {
    /// The bug again.
    Bug(Box<Minimised>),
    /// No bug, or another one: the program does not behave the same way under the same schedule.
    Diverged(Box<Replay>),
}

/// What minimising may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps of one execution.
    pub max_steps: u32,
    /// The faults budget of the search that found the failure.
    pub faults: u32,
    /// Replays.
    pub attempts: u32,
}

/// Replays of an execution that has no end, each as long as an execution may be.
const MAX_ENDLESS: u32 = 50;

/// Replays a failure and makes it as small as its limits allow.
pub fn minimise<S: Subject>(subject: &mut S, failure: &Failure, cost: Cost, limits: Limits) -> Found {
    let Limits { max_steps, faults, attempts } = limits;
    let cost = if cost == Cost::Free { Cost::Preemptions } else { cost };
    let job = |choices: &[Choice], guide: &GuideSpec, at_cut| {
        let prefix = choices.iter().map(|choice| Choice { check: 0, ..*choice }).collect();
        Job { cost, faults, at_cut, ..Job::single(prefix, guide.clone(), max_steps) }
    };
    let mut exact = job(&failure.choices, &failure.guide, failure.at_cut);
    exact.prefix.clone_from(&failure.choices);
    exact.repeat = failure.repeat;
    let replay = subject.replay(&exact);
    let Some(bug) = replay.bug.clone().filter(|_| replay.ending == failure.ending) else {
        return Found::Diverged(Box::new(replay));
    };
    let attempts = if bug.cycle().is_some() { attempts.min(MAX_ENDLESS) } else { attempts };
    let mut best = Minimised { replay, bug, cost, attempts: 1 };
    if failure.repeat.is_some() {
        // Its window lies where its choices lie.
        return Found::Bug(Box::new(best));
    }
    // A sampled execution has no choices of its own to drop, and those of a delaying scheduler do not go by preemptions: go on
    // with the schedule that they made.
    let delayed = matches!(failure.guide, GuideSpec::Delaying(_)) && cost != Cost::Delays;
    let converted = failure.guide.seed().is_some() || delayed || failure.at_cut != AtCut::Stop;
    let (mut choices, guide) = if converted {
        (best.replay.trace.schedule.prefix(), GuideSpec::NonPreemptive)
    } else {
        (failure.choices.clone(), failure.guide.clone())
    };
    let mut attempt = |best: &mut Minimised, choices: &mut Vec<Choice>, candidate: Vec<Choice>| -> bool {
        if best.attempts >= attempts || !subject.can_go_on() {
            return false;
        }
        best.attempts += 1;
        let replay = subject.replay(&job(&candidate, &guide, AtCut::Stop));
        let same = replay.bug.as_ref().is_some_and(|bug| bug.is_same_as(&best.bug));
        if !same || replay.ending == Ending::Diverged {
            return false;
        }
        let candidate = if converted { replay.trace.schedule.prefix() } else { candidate };
        let smaller = size(&replay, &candidate) < size(&best.replay, choices);
        if smaller {
            best.bug = replay.bug.clone().expect("it is the same bug");
            best.replay = replay;
            *choices = candidate;
        }
        smaller
    };
    loop {
        let mut improved = false;
        let mut segments = Segments::of(&best.replay.trace);
        let mut index = if converted { segments.len() } else { 0 };
        while index > 0 {
            index -= 1;
            for early in [false, true] {
                let merged = (index < segments.len()).then(|| segments.merged(index, early)).flatten();
                if merged.is_some_and(|merged| attempt(&mut best, &mut choices, merged)) {
                    improved = true;
                    segments = Segments::of(&best.replay.trace);
                }
            }
        }
        let mut index = choices.len();
        while index > 0 {
            index -= 1;
            let fewer = without(&choices, index);
            improved |= attempt(&mut best, &mut choices, fewer);
            index = index.min(choices.len());
        }
        let mut index = choices.len();
        while index > 0 {
            index -= 1;
            // Choices may have become fewer on the way.
            while index < choices.len()
                && let Some(later) = moved_later(&choices, index)
            {
                if !attempt(&mut best, &mut choices, later) {
                    break;
                }
                improved = true;
            }
        }
        if !improved || best.attempts >= attempts {
            return Found::Bug(Box::new(best));
        }
    }
}

/// Smaller is better, the first difference decides.
fn size(replay: &Replay, choices: &[Choice]) -> impl Ord + use<> {
    let steps = replay.trace.schedule.steps;
    let earliness: u64 = choices.iter().map(|choice| (u32::MAX - choice.step) as u64).sum();
    (replay.spent, replay.trace.faults(), replay.trace.preemptions(), steps, choices.len(), earliness)
}

fn without(choices: &[Choice], index: usize) -> Vec<Choice> {
    let mut fewer = choices.to_vec();
    fewer.remove(index);
    fewer
}

/// The choice at `index` one step later, if the next choice leaves room.
fn moved_later(choices: &[Choice], index: usize) -> Option<Vec<Choice>> {
    let step = choices[index].step + 1;
    if choices.get(index + 1).is_some_and(|next| next.step <= step) {
        return None;
    }
    let mut moved = choices.to_vec();
    moved[index].step = step;
    Some(moved)
}
