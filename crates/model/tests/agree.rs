//! The engines against the judge, on random programs and on those of its rules: the same final states, bugs, minimal bounds and
//! numbers of executions. Fairness is off.
//!
//! The judge leaves out the points that the engines leave out (`oracle/first_yields.rs`). A failure prints the seed and the program.
//! More programs than usual: `AGREE_PROGRAMS=100000 cargo test -p caissa-model agree`.

mod engines;

use std::ops::Range;
use std::sync::Arc;

use crate::oracle::ast::{Kind, Program};
use crate::oracle::explore::{Limit, Reach, executions};
use crate::oracle::random::{Shape, any, sized};
use crate::oracle::{popl11, rules};
use caissa_core::{Cost, GuideSpec};
use caissa_model::Code;
use caissa_model::explicit::Order;
use engines::SCHEDULERS;

/// A program, and what it is called in messages.
struct Case {
    name: String,
    program: Program,
}

/// Whatever fails, in a test or in an engine, the program is shown.
impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}:\n{}", self.name, self.program);
        }
    }
}

impl Case {
    fn new(name: String, program: Program) -> Case {
        Case { name, program: Program { passes_first_yields: true, ..program } }
    }

    #[track_caller]
    fn same<T: PartialEq + std::fmt::Debug>(&self, what: &str, engine: T, judge: T) {
        let Case { name, program } = self;
        assert!(
            engine == judge,
            "{what} of {name}:\n{program}\nthe engine: {engine:?}\nthe judge:  {judge:?}"
        );
    }

    fn compile(&self) -> Arc<Code> {
        let Case { name, program } = self;
        engines::compile(program).unwrap_or_else(|errors| panic!("{name} is not read:\n{program}\n{errors}"))
    }

    /// Both engines, by preemptions and without bounds.
    fn agrees(&self) {
        let code = self.compile();
        let judge = executions(&self.program, Limit::NONE).expect("there is no limit");
        let found = engines::stateless(&self.program, &code, Cost::Preemptions, GuideSpec::NonPreemptive);
        self.same("executions by preemptions", &found, &judge);
        self.explicit_agrees(&code, Order::Preemptions(None), &judge.reach);
        let first = engines::first_bug(&code, Order::BreadthFirst).map(|(kind, _)| kind);
        self.same("a bug by states", first.is_some(), !judge.reach.bugs.is_empty());
        self.same("its kind", first.is_none_or(|kind| judge.reach.bugs.contains_key(&kind)), true);
    }

    /// Both engines, by delays.
    fn agrees_by_delays(&self) {
        let code = self.compile();
        for (name, scheduler) in SCHEDULERS {
            let judge = match name {
                "rr" => popl11::round_robin(&self.program, Limit::NONE),
                _ => popl11::depth_first(&self.program, Limit::NONE),
            };
            let judge = judge.expect("there is no limit");
            let guide = GuideSpec::Delaying(name.to_owned());
            let found = engines::stateless(&self.program, &code, Cost::Delays, guide);
            self.same(&format!("executions by delays of {name}"), &found, &judge);
            self.explicit_agrees(&code, Order::Delays(scheduler, None), &judge.reach);
        }
    }

    /// All that the explicit-state engine can reach; and the first bug that it reports has the least cost of all.
    fn explicit_agrees(&self, code: &Arc<Code>, order: Order, judge: &Reach) {
        let judge = Reach { discarded: None, ..judge.clone() };
        // Two workers for some of them.
        let workers = 1 + (self.program.procs.len() % 8 == 5) as u32;
        let found = engines::census(&self.program, code, order, workers);
        self.same(&format!("ends by {order:?}"), &found, &judge);
        let least = judge.bugs.values().min().copied();
        let first = engines::first_bug(code, order);
        self.same(&format!("the first bug by {order:?}"), first.and_then(|(_, spent)| spent), least);
        let is_one = |kind: Kind| judge.bugs.get(&kind).copied() == least;
        self.same("its kind", first.is_none_or(|(kind, _)| is_one(kind)), true);
    }
}

#[test]
fn rules_hold_in_all_engines() {
    for rule in rules::all() {
        let case = Case::new(format!("rule `{}`", rule.name), rule.program);
        case.agrees();
        if popl11::is_simple(&case.program) {
            case.agrees_by_delays();
        }
    }
}

/// A quarter of the random programs: tests run side by side.
fn quarter(number: u64) -> Range<u64> {
    let programs = std::env::var("AGREE_PROGRAMS").map_or(10_000, |count| count.parse().expect("a number"));
    number * programs / 4..(number + 1) * programs / 4
}

fn agree_on(seeds: Range<u64>) {
    for seed in seeds {
        Case::new(format!("seed {seed}"), any(seed).0).agrees();
    }
}

#[test]
fn random_programs_agree_1() {
    agree_on(quarter(0));
}

#[test]
fn random_programs_agree_2() {
    agree_on(quarter(1));
}

#[test]
fn random_programs_agree_3() {
    agree_on(quarter(2));
}

#[test]
fn random_programs_agree_4() {
    agree_on(quarter(3));
}

#[test]
fn random_programs_agree_by_delays() {
    for shape in [Shape::Simple, Shape::Threads] {
        for seed in 0..quarter(0).end / 5 {
            Case::new(format!("{shape:?}, seed {seed}"), sized(shape, seed).0).agrees_by_delays();
        }
    }
}
