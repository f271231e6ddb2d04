//! What is asked of programs that spin, poll and retry, besides what every corpus is asked.

use std::collections::BTreeMap;
use std::path::Path;

use caissa::{Builder, Finding, Report, Search, Verdict};

use crate::support::corpus_cases::{Case, Corpus};

/// Executions of searches that need not end.
const BUDGET: u64 = 5_000;

/// Steps of executions of searches that meet many of them without end.
const STEPS: u32 = 2_000;

/// A schedule string folds what repeats, however long the execution was.
const LONGEST_SCHEDULE: usize = 300;

/// The number of the first line that ends with a mark.
fn marked_line(case: &Case, mark: &str) -> usize {
    let line = case.text.lines().position(|line| line.ends_with(mark));
    1 + line.unwrap_or_else(|| panic!("{} has no line marked `{mark}`", case.path))
}

/// What every finding of a case must be like, whichever search has made it.
fn inspect(case: &Case, report: &Report, finding: &Finding) {
    let path = case.path;
    assert_eq!(case.field("verdict"), format!("bug {}", finding.bug.kind()), "{path}: {report}");
    let schedule = finding.schedule();
    assert!(schedule.len() < LONGEST_SCHEDULE, "{path}: {} characters: {schedule}", schedule.len());
    let again = case.explore(&Builder::new().max_steps(STEPS).replay(&schedule));
    assert_eq!(again.verdict, Verdict::Bug, "{path}: {again}");
    let again = again.finding.unwrap();
    assert_eq!((&again.bug, &again.trace), (&finding.bug, &finding.trace), "{path}");
}

/// Searches that need not find every bug.
fn other_searches() -> Vec<Builder> {
    let new = |search| Builder::new().search(search).max_steps(STEPS);
    let samples =
        [Search::Random, Search::Pct, Search::Pos, Search::Surw].map(|search| new(search).max_executions(50));
    let mut searches = Vec::from(samples);
    searches.push(new(Search::Contexts).bound(5).max_executions(200));
    searches.push(new(Search::Depth).bound(12).max_executions(200));
    searches.push(new(Search::Depth).bound(12).max_executions(200).finish_cut(7));
    searches
}

/// What two searches that are worth the same have in common.
fn conclusion(report: &Report) -> (Verdict, u64, Option<String>) {
    (report.verdict, report.executions(), report.finding.as_ref().map(Finding::schedule))
}

fn samples(report: &Report) -> bool {
    report.summary.bounds.is_empty()
}

/// What a depth-first search within a budget comes to.
fn dfs_figures(case: &Case) -> String {
    let report = case.explore(&Builder::new().search(Search::Dfs).max_executions(BUDGET).max_steps(STEPS));
    match &report.finding {
        Some(finding) => {
            inspect(case, &report, finding);
            format!("{} executions", report.executions())
        }
        None => format!("not within {BUDGET} executions"),
    }
}

impl Corpus {
    /// Whatever the search, it finds the bug of a case or none.
    pub fn no_search_finds_anything_else(&self) {
        for case in self.cases {
            for builder in other_searches() {
                let report = case.explore(&builder);
                match &report.finding {
                    Some(finding) => {
                        assert!(case.is_bug(), "{}: {report}", case.path);
                        inspect(case, &report, finding);
                    }
                    None if !case.is_bug() || samples(&report) => {
                        // An execution without end is seen for what it is.
                        assert_eq!(report.summary.step_limited(), 0, "{}: {report}", case.path);
                    }
                    // The random end of an execution that was cut is not looked at that closely.
                    None => {}
                }
            }
            if case.is_bug() {
                self.settle(case, &BTreeMap::from([("dfs", dfs_figures(case))]));
            }
        }
    }

    /// With every second yield only, bugs stay bugs and correct programs correct.
    pub fn every_second_yield_is_enough(&self) {
        for case in self.cases {
            let report = case.explore(
                &Builder::new().search(Search::Preemptions).fair_k(2).max_executions(self.max_executions),
            );
            match &report.finding {
                Some(finding) => {
                    assert!(case.is_bug(), "{}: {report}", case.path);
                    assert_eq!(case.field("verdict"), format!("bug {}", finding.bug.kind()), "{}", case.path);
                    let replay = Builder::new().fair_k(2).replay(&finding.schedule());
                    assert_eq!(case.explore(&replay).verdict, Verdict::Bug, "{}", case.path);
                }
                None => {
                    assert!(!case.is_bug() || case.bug_bound("preemptions") > 2, "{}: {report}", case.path);
                    assert_ne!(report.verdict, Verdict::Incomplete, "{}: {report}", case.path);
                }
            }
        }
    }

    /// Two workers conclude what one does.
    pub fn two_workers_conclude_the_same(&self) {
        for builder in [Builder::new().search(Search::Preemptions).bound(3), Builder::new()] {
            let builder = builder.max_executions(3_000);
            for case in self.cases {
                let (one, two) = (case.explore(&builder), case.explore(&builder.clone().workers(2)));
                assert_eq!(conclusion(&one), conclusion(&two), "{}: {one} {two}", case.path);
            }
        }
    }

    /// Without fairness nothing is said about tasks that run for ever, and correct programs cannot be covered.
    pub fn unfair_searches_say_nothing_about_liveness(&self) {
        for case in self.cases {
            let builder = Builder::new().search(Search::Preemptions).bound(1).fair(false);
            let report = case.explore(&builder.max_steps(1_000).max_executions(1_000));
            if let Some(finding) = &report.finding {
                assert!(["panic", "deadlock"].contains(&finding.bug.kind()), "{}: {report}", case.path);
                assert!(case.is_bug(), "{}: {report}", case.path);
            } else if !case.is_bug() {
                self.settle(
                    case,
                    &BTreeMap::from([("unfair", format!("{:?}", report.verdict).to_lowercase())]),
                );
            }
        }
    }

    /// A good-samaritan violation names the task and the loop.
    pub fn loops_without_a_yield_are_named(&self) {
        let mut named = 0;
        for case in self.cases.iter().filter(|case| case.field("verdict") == "bug good-samaritan") {
            let report = case.explore(&Builder::new());
            let finding = report.finding.as_ref().unwrap();
            let spinning = finding.task(finding.trace.events.last().unwrap().task);
            let place = format!("{}.rs:{}", case.path, marked_line(case, "// loop"));
            let text = report.to_string();
            let first = text.lines().next().unwrap();
            assert!(first.contains(&format!("task {spinning} ")), "{}: {spinning}\n{text}", case.path);
            assert!(first.contains(&place), "{}: {place}\n{text}", case.path);
            named += 1;
        }
        assert!(named > 5, "{named}");
    }

    /// A report of an execution that goes on for ever is short all the same.
    pub fn reports_fold_what_repeats(&self) {
        for case in self.cases.iter().filter(|case| case.is_bug()) {
            let text = case.explore(&Builder::new().search(Search::Preemptions).bound(3)).to_string();
            let endless = !["panic", "deadlock"].iter().any(|kind| case.field("verdict").ends_with(kind));
            assert_eq!(text.contains("again and again"), endless, "{}:\n{text}", case.path);
            assert!(text.lines().count() < 60, "{}:\n{text}", case.path);
        }
    }

    /// A correct program that is stopped early is not accused of anything, however early.
    pub fn cut_off_early_is_no_bug(&self) {
        for case in self.cases.iter().filter(|case| !case.is_bug()) {
            let builder = Builder::new().search(Search::Preemptions).bound(2).max_executions(1_000);
            for steps in (4..40).step_by(3) {
                let report = case.explore(&builder.clone().max_steps(steps));
                assert!(report.finding.is_none(), "{}, {steps} steps: {report}", case.path);
            }
        }
    }

    /// A search that goes on from its resume file after every few executions ends as one that was never interrupted.
    pub fn a_search_in_pieces_comes_to_the_same(&self) {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live_in_pieces");
        let builder = Builder::new().search(Search::Preemptions).bound(2);
        for case in self.cases {
            let _ = std::fs::remove_file(&file);
            let mut in_pieces =
                (1..).map(|piece| case.explore(&builder.clone().resume(&file).max_executions(40 * piece)));
            let last = in_pieces.find(|report| report.summary.stopped.is_none()).unwrap();
            assert_eq!(conclusion(&last), conclusion(&case.explore(&builder)), "{}: {last}", case.path);
        }
    }
}
