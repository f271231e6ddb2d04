//! Runs a check of a model: what the command line does, without what it prints.

use std::sync::Arc;

use caissa_core::{AtCut, Cost, GuideSpec};
use caissa_model::explicit::{self, Delaying, Order, Watched, Wrong};
use caissa_model::{Code, Exec, ExecSettings, load};
use caissa_search::{Bounds, Finder, Found, Ingredient, Limits, Mix, Settings, Verdict, Workers, minimise};

use crate::expectation::Expected;

/// The options of a check.
#[derive(Debug)]
struct Options {
    explicit: bool,
    search: Option<String>,
    bound: Option<u32>,
    depth_first: bool,
    fair: bool,
    levels: bool,
    sets: Vec<(String, String)>,
}

/// The largest bound if none is given.
const DEFAULT_BOUND: u32 = 2;

/// The limit of steps of an execution.
const MAX_STEPS: u32 = 20_000;

impl Options {
    fn parse(words: &[String]) -> Options {
        let mut options = Options {
            explicit: false,
            search: None,
            bound: None,
            depth_first: false,
            fair: true,
            levels: true,
            sets: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value")).as_str();
            match word.as_str() {
                "--engine" => options.explicit = value() == "explicit",
                "--search" => options.search = Some(value().to_owned()),
                "--bound" => options.bound = Some(value().parse().expect("a bound is a number")),
                "--scheduler" => options.depth_first = value() == "depth-first",
                "--no-fair" => options.fair = false,
                "--set" => {
                    let (name, value) = value().split_once('=').expect("--set NAME=VALUE");
                    options.sets.push((name.to_owned(), value.to_owned()));
                }
                other => panic!("the corpus does not use {other}"),
            }
        }
        options
    }
}

/// Checks a model.
pub fn check(name: &str, text: &str, words: &[String]) -> Expected {
    check_options(name, text, Options::parse(words))
}

/// Checks a model with a search that ignores levels.
pub fn check_without_levels(name: &str, text: &str, words: &[String]) -> Expected {
    check_options(name, text, Options { levels: false, ..Options::parse(words) })
}

fn check_options(name: &str, text: &str, options: Options) -> Expected {
    let program =
        load(name, text, &options.sets).unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render(false)));
    let code = Arc::new(Code::new(program));
    if options.explicit { explore(&code, &options) } else { search(&code, &options) }
}

fn search(code: &Arc<Code>, options: &Options) -> Expected {
    let bound = Some(options.bound.unwrap_or(DEFAULT_BOUND));
    let (cost, guide, max_bound) = match options.search.as_deref() {
        None | Some("preemptions") => (Cost::Preemptions, GuideSpec::NonPreemptive, bound),
        Some("dfs") => (Cost::Free, GuideSpec::NonPreemptive, None),
        Some("delays") => {
            let name = if options.depth_first { "depth-first" } else { "rr" };
            (Cost::Delays, GuideSpec::Delaying(name.to_owned()), bound)
        }
        Some(other) => panic!("the corpus does not use the search {other}"),
    };
    let settings = Settings {
        max_executions: 2_000_000,
        max_steps: MAX_STEPS,
        max_memory: None,
        faults: 0,
        reduce: false,
        keep_going: false,
    };
    let bounds = Ingredient::Bounded(Bounds { cost, guide, max_bound, at_cut: AtCut::Stop });
    let workers = Workers::new(Mix::new(settings, vec![(bounds, 1)]));
    let fair_k = if options.fair { 1 } else { 0 };
    let settings =
        ExecSettings { fair_k, classes: false, ignore_levels: !options.levels, ..ExecSettings::default() };
    let mut exec = Exec::new(Arc::clone(code), settings);
    workers.work(&mut exec);
    let mut search = workers.into_search();
    let summary = search.conclude();
    let mut result = Expected { verdict: summary.verdict().word().to_owned(), ..Expected::default() };
    result.executions = Some(summary.executions());
    result.bound = match (&summary.failure, summary.verdict()) {
        (Some((Finder::Bounded { cost: Cost::Free, .. }, _)), _) => None,
        (Some((Finder::Bounded { bound, .. }, _)), _) => Some(*bound as u64),
        (_, Verdict::Bounded) => summary.complete_bound().map(u64::from),
        _ => None,
    };
    if let Some((_, failure)) = &summary.failure {
        let limits = Limits { max_steps: MAX_STEPS, faults: 0, attempts: 1 };
        let Found::Bug(minimised) = minimise(&mut exec, failure, cost, limits) else {
            panic!("a finding does not replay");
        };
        result.kind = Some(minimised.bug.kind().to_owned());
    }
    result
}

fn explore(code: &Code, options: &Options) -> Expected {
    let order = match options.search.as_deref() {
        None => Order::BreadthFirst,
        Some("preemptions") => Order::Preemptions(Some(options.bound.unwrap_or(DEFAULT_BOUND))),
        Some("dfs") => Order::DepthFirst,
        Some("delays") => {
            let scheduler = if options.depth_first { Delaying::DepthFirst } else { Delaying::RoundRobin };
            Order::Delays(scheduler, Some(options.bound.unwrap_or(DEFAULT_BOUND)))
        }
        Some(other) => panic!("the corpus does not use the search {other}"),
    };
    let settings = explicit::Settings { order, ..explicit::Settings::default() };
    let explored = explicit::explore(code, &settings, &Watched::default());
    let mut result = Expected { states: Some(explored.states), ..Expected::default() };
    result.verdict = match (&explored.found, explored.ended.is_some() || explored.long, explored.complete) {
        (Some(_), _, _) => "bug",
        (None, true, _) => "incomplete",
        (None, false, true) => "verified",
        (None, false, false) => "bounded",
    }
    .to_owned();
    if let Some(found) = &explored.found {
        result.bound = found.spent.map(u64::from);
        result.kind = Some(match &found.wrong {
            Wrong::Fault(fault) => fault.kind().to_owned(),
            Wrong::Deadlock => "deadlock".to_owned(),
            Wrong::Livelock => "livelock".to_owned(),
            Wrong::Spins | Wrong::GoodSamaritan => "good-samaritan".to_owned(),
        });
    } else if result.verdict == "bounded" {
        result.bound =
            explored.bounds.iter().filter(|bound| bound.complete).map(|bound| bound.bound as u64).max();
    }
    result
}
