//! What is said of the answers.

use caissa_check::{Answered, Answers};
use caissa_core::Failure;
use caissa_model::Model;
use caissa_model::ir::Program;
use caissa_model::sequentialize::{Bounds, sequentialize};
use caissa_model::symbolic::ask::{Asked, Told};
use caissa_model::symbolic::decide::Trouble;
use caissa_model::symbolic::unroll::Site;
use caissa_search::{Stopped, Verdict};

use super::bounds::{covered, is_smaller, words};
use super::{Answer, Outcome};
use crate::args::Verify;

/// What the answers come to.
pub fn answered(
    model: &Model,
    args: &Verify,
    told: &Outcome,
    questions: &[Bounds],
    failure: Option<Failure>,
    stopped: Option<Stopped>,
) -> Answered {
    let proved = proved(told);
    let last = *questions.last().expect("there is a question");
    let is_bug = failure.is_some();
    // Smaller bounds are part of larger ones.
    let all = proved.contains(&last);
    let verdict = match (is_bug, all) {
        (true, _) => Verdict::Bug,
        (false, true) => Verdict::Bounded,
        (false, false) => Verdict::Incomplete,
    };
    let mut conclusion = match all {
        true => format!("no execution with {} fails, whatever is chosen", within(args, last)),
        false => format!("{}{}", best(args, &proved), why_not(model, args, told, stopped)),
    };
    if all {
        if matches!(last, Bounds::Rounds { .. }) && !args.no_reorder {
            conclusion += "; tasks that have not begun may be put off";
        }
        conclusion += &format!("; neither --loop {} nor --recursion {} was met", args.loops, args.recursion);
    }
    let mut notes = Vec::new();
    if let Some(Answer { bounds, .. }) = told.answers.last().filter(|_| is_bug) {
        notes.push(needs(told, *bounds));
    }
    notes.push("neither deadlocks nor executions without end are looked for; caissa check does.".to_owned());
    if model.has_plain() {
        notes.push("data races on plain globals are not looked for; caissa check does.".to_owned());
    }
    notes.extend(superfluous(args, last));
    let meets_loop = |answer: &Answer| match &answer.asked.told {
        Told::RightSoFar(sites) => sites.iter().any(|site| matches!(site, Site::Loop(..))),
        _ => false,
    };
    if !is_bug && told.answers.iter().any(meets_loop) {
        let note = "a loop that goes round until something holds can be an `await`, which has no limit; caissa check --engine explicit follows all loops.";
        notes.push(note.to_owned());
    }
    let complete = match last {
        Bounds::Delays(_) => proved
            .iter()
            .filter_map(|bounds| match bounds {
                Bounds::Delays(most) => Some(*most),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let lines = told.answers.iter().map(|answer| line(args, answer)).collect();
    let shown = if is_bug { told.answers.last().map(|answer| answer.bounds) } else { proved.last().copied() };
    let answers = Answers { conclusion, lines, fields: fields(told, shown) };
    Answered { verdict, failure, complete, stopped, answers, notes }
}

/// Bounds within which nothing fails.
fn proved(told: &Outcome) -> Vec<Bounds> {
    let right = told.answers.iter().filter(|answer| answer.asked.told == Told::Right);
    right.map(|answer| answer.bounds).collect()
}

fn within(args: &Verify, bounds: Bounds) -> String {
    match bounds {
        Bounds::Delays(_) => format!("at most {} of the scheduler depth-first-plain", words(bounds)),
        _ if args.no_reorder => format!("{}, in one order of dispatch,", words(bounds)),
        _ => words(bounds),
    }
}

/// Rounds that were asked for and make no difference.
fn superfluous(args: &Verify, last: Bounds) -> Option<String> {
    let Bounds::Rounds { buffers, tasks } = last else { return None };
    let more = |asked: Option<u32>, used: u32| asked.is_some_and(|asked| asked > used);
    let (what, why) = match (more(args.rounds, buffers), more(args.yields, tasks)) {
        (true, true) => ("more rounds add", "no task gives up control"),
        (true, false) => ("more rounds of buffers add", "no buffer gives up control"),
        (false, true) => ("more rounds of tasks add", "no task makes way for another"),
        (false, false) => return None,
    };
    Some(format!("{what} nothing: {why}."))
}

/// The largest bounds that are proved.
fn best(args: &Verify, proved: &[Bounds]) -> String {
    let is_best = |bounds: &&Bounds| !proved.iter().any(|&other| is_smaller(**bounds, other));
    let best: Vec<String> = proved.iter().filter(is_best).map(|&bounds| within(args, bounds)).collect();
    match best.is_empty() {
        true => "no bug was found, but nothing is proved".to_owned(),
        false => format!("no execution with {} fails", best.join(", or with ")),
    }
}

/// Why not everything that was asked for is proved.
fn why_not(model: &Model, args: &Verify, told: &Outcome, stopped: Option<Stopped>) -> String {
    if let Some((bounds, trouble)) = &told.trouble {
        let why = match (stopped, trouble) {
            (Some(Stopped::Time), _) => "the time was used up (--time)".to_owned(),
            (Some(Stopped::Interrupted), _) => "it was interrupted".to_owned(),
            (_, Trouble::Memory { limit }) => format!("{} MB are not enough (--memory)", limit >> 20),
            _ => "the solver gave no answer".to_owned(),
        };
        return format!("; there is no answer for {}: {why}", words(*bounds));
    }
    let open = told.answers.iter().find_map(|answer| match &answer.asked.told {
        Told::RightSoFar(sites) => Some((answer, sites)),
        _ => None,
    });
    let Some((answer, sites)) = open else { return String::new() };
    let sequential = sequentialize(model.code.program(), covered(args, answer.bounds, true));
    let sequential = sequential.expect("that was looked at");
    let limits: Vec<String> = sites.iter().map(|&site| limit(model, args, &sequential, site)).collect();
    format!("; with {} that is so only up to a limit: {}", words(answer.bounds), limits.join(", and "))
}

/// A limit that executions meet.
fn limit(model: &Model, args: &Verify, sequential: &Program, site: Site) -> String {
    let source = &model.code.program().source;
    let place = |at: u32| {
        let (line, column) = source.line_and_column(at);
        format!("{}:{line}:{column}", source.name)
    };
    match site {
        Site::Loop(_, start, _) => {
            format!("the loop at {} goes round more often than --loop {}", place(start), args.loops)
        }
        Site::Recursion(proc) => {
            let proc = &sequential.procs[proc.index()];
            format!(
                "{} at {} calls or posts itself deeper than --recursion {}",
                proc.name,
                place(proc.span.start),
                args.recursion
            )
        }
    }
}

/// What the bug needs.
fn needs(told: &Outcome, bounds: Bounds) -> String {
    let is_less = |answer: &&Answer| is_smaller(answer.bounds, bounds);
    let proved = told.answers.iter().filter(is_less).all(|answer| answer.asked.told == Told::Right);
    match (proved, bounds) {
        (true, Bounds::Rounds { buffers: 1, tasks: 1 } | Bounds::Delays(0)) => {
            format!("the bug is there with {}, the least there is.", words(bounds))
        }
        (true, Bounds::Rounds { .. }) => {
            format!("the bug needs {}: with fewer of either nothing fails.", words(bounds))
        }
        (true, _) => format!("the bug needs {}: with fewer nothing fails.", words(bounds)),
        (false, _) => {
            format!("the bug is there with {}; whether less would do is not known.", words(bounds))
        }
    }
}

/// A question with its answer.
fn line(args: &Verify, Answer { bounds, asked, took }: &Answer) -> String {
    let Asked { told, unwinding, size, .. } = asked;
    let told = match told {
        Told::Wrong(_) => "a bug",
        Told::Right => "no bug",
        Told::RightSoFar(_) => "no bug so far",
    };
    let is_ours = matches!(args.solver.trim(), "batsat" | "cadical");
    let formula = match (size.clauses, is_ours) {
        (0, _) => "nothing left to solve".to_owned(),
        (clauses, true) => format!("{} variables, {clauses} clauses", size.variables),
        (commands, false) => format!("{} variables, {commands} commands", size.variables),
    };
    format!(
        "{}: {told}; loops up to {}, recursion up to {}; {formula}; {:.3} s",
        words(*bounds),
        unwinding.loops,
        unwinding.recursion,
        took.as_secs_f64()
    )
}

/// Numbers for other programs.
fn fields(told: &Outcome, bounds: Option<Bounds>) -> Vec<(&'static str, Option<u64>)> {
    let (rounds, yields, delays) = match bounds {
        Some(Bounds::Rounds { buffers, tasks }) => (Some(buffers), Some(tasks), None),
        Some(Bounds::Delays(most)) => (None, None, Some(most)),
        _ => (None, None, None),
    };
    let shown = told.answers.iter().find(|answer| Some(answer.bounds) == bounds);
    let last = shown.or(told.answers.last()).map(|answer| &answer.asked);
    vec![
        ("rounds", rounds.map(u64::from)),
        ("yields", yields.map(u64::from)),
        ("delays", delays.map(u64::from)),
        ("loop", last.map(|asked| u64::from(asked.unwinding.loops))),
        ("recursion", last.map(|asked| u64::from(asked.unwinding.recursion))),
        ("variables", last.map(|asked| asked.size.variables)),
        ("clauses", last.map(|asked| asked.size.clauses)),
    ]
}
