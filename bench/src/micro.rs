//! What single things cost inside a check, beside an uncontended `fetch_add` of std's.
//!
//! Both sides are measured within the same execution, by the CPU clock of its thread, so the start of a check and of an
//! execution do not count. The closure reads a clock but does the same whatever it says. A data choice at its beginning makes
//! as many executions as are wanted; the first is run twice more with a trace, which the median passes over.
//!
//! Apart from these, what the start of a check costs, of each checker: a program that does nothing.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use caissa::{Builder, Search};

use crate::cpu;
use crate::figures::{Claim, Figures};
use crate::section::{Row, Section, said};

/// Executions of one round.
const EXECUTIONS: usize = 16;
/// Points passed in one execution.
const POINTS: u32 = 200_000;
/// Tasks spawned and joined in one execution.
const SPAWNS: u32 = 2_000;

/// Nanoseconds that one run of `once` takes, of `times` in a row.
fn nanoseconds(times: u32, mut once: impl FnMut()) -> f64 {
    let before = cpu::of_thread();
    (0..times).for_each(|_| once());
    (cpu::of_thread() - before) * 1e9 / f64::from(times)
}

fn std_fetch_add() -> f64 {
    let counter = AtomicUsize::new(0);
    nanoseconds(POINTS, || {
        black_box(black_box(&counter).fetch_add(1, SeqCst));
    })
}

/// Runs a measurement inside a check; the medians of what it costs and of std's `fetch_add`.
fn inside(classes: bool, measure: fn() -> f64) -> [f64; 2] {
    let seen = Arc::new(Mutex::new([Figures::default(), Figures::default()]));
    let figures = Arc::clone(&seen);
    Builder::new()
        .search(Search::Dfs)
        .classes(classes)
        .max_steps(2 * POINTS)
        .progress(Duration::ZERO)
        .watchdog(Duration::from_secs(60))
        .explore(move || {
            caissa::choose(EXECUTIONS);
            let costs = [measure(), std_fetch_add()];
            let mut figures = figures.lock().expect("nobody panics here");
            figures.iter_mut().zip(costs).for_each(|(figures, cost)| figures.push(cost));
        })
        .expect("the settings make sense");
    let figures = seen.lock().expect("the check has ended");
    [0, 1].map(|at| figures[at].median())
}

fn passed_point() -> f64 {
    let counter = caissa::sync::atomic::AtomicUsize::new(0);
    nanoseconds(POINTS, || {
        black_box(black_box(&counter).fetch_add(1, SeqCst));
    })
}

fn spawn_and_join() -> f64 {
    nanoseconds(SPAWNS, || {
        caissa::thread::spawn(|| ()).join().expect("the task does nothing");
    })
}

/// Checks of a program that does nothing, in a row.
const EMPTY: u32 = 300;

/// Nanoseconds of CPU time, of all threads, for a check of a program that does nothing.
fn empty_check(check: fn()) -> f64 {
    let before = cpu::of_process();
    (0..EMPTY).for_each(|_| check());
    (cpu::of_process() - before) * 1e9 / f64::from(EMPTY)
}

const STARTS: [(&str, fn()); 3] = [
    ("caissa", || {
        Builder::new()
            .search(Search::Dfs)
            .progress(Duration::ZERO)
            .explore(|| ())
            .expect("the settings make sense");
    }),
    ("shuttle", || {
        shuttle::check_dfs(|| (), None);
    }),
    ("loom", || loom::model::Builder::new().check(|| ())),
];

/// What it is called, whether classes are counted meanwhile, and how it is measured.
type Thing = (&'static str, bool, fn() -> f64);

pub fn section(rounds: usize) -> Section {
    const WHAT: [Thing; 3] = [
        ("a passed point (fetch_add of a lone task)", true, passed_point),
        ("a passed point, no classes", false, passed_point),
        ("spawn and join", true, spawn_and_join),
    ];
    let mut measured = WHAT.map(|_| [Figures::default(), Figures::default()]);
    let mut starts = STARTS.map(|_| Figures::default());
    for round in 1..=rounds {
        for ((what, classes, measure), figures) in WHAT.iter().zip(&mut measured) {
            said(&format!("round {round} of {rounds}: {what}"));
            let costs = inside(*classes, *measure);
            figures.iter_mut().zip(costs).for_each(|(figures, cost)| figures.push(cost));
        }
        for ((_, check), figures) in STARTS.iter().zip(&mut starts) {
            figures.push(empty_check(*check));
        }
    }
    said("");
    let row = |program: &str, checker: &str, figures: &Figures| Row {
        program: program.to_owned(),
        checker: checker.to_owned(),
        figures: figures.clone(),
        facts: Vec::new(),
    };
    let mut rows = Vec::new();
    for ((what, ..), [ours, std]) in WHAT.iter().zip(&measured) {
        rows.push(row(what, "caissa", ours));
        rows.push(row("fetch_add, in the same executions", "std", std));
    }
    rows.extend(
        STARTS.iter().zip(&starts).map(|((checker, _), figures)| row("a check of nothing", checker, figures)),
    );
    let [point, _, spawn] = &measured;
    let claims = vec![
        Claim::at_most(
            "a passed point, against std's fetch_add".into(),
            point[0].over(&point[1]),
            2.5,
            Some(1.5),
        ),
        Claim::at_most(
            "spawn and join, against std's fetch_add".into(),
            spawn[0].over(&spawn[1]),
            75.0,
            None,
        ),
    ];
    Section {
        name: "Single things inside a check",
        unit: "ns of CPU time",
        rows,
        claims,
        remarks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_things_can_be_measured() {
        let section = section(1);
        assert_eq!((section.rows.len(), section.claims.len()), (9, 2));
    }
}
