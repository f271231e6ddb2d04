//! Each rule of Fig. 4, with its corrections, on a small program: the judge of the model engines does what was worked out by hand.

use crate::oracle::ast::Program;
use crate::oracle::explore::{Limit, Tally, executions, reach};
use crate::oracle::{popl11, rules};

#[test]
fn each_rule_does_what_it_says() {
    for rule in rules::all() {
        let found = executions(&rule.program, Limit::NONE).expect("there is no limit");
        let counts = found.by_cost.iter().map(|(&cost, tally)| (cost, tally.all())).collect();
        assert_eq!(found.reach, rule.reach, "{}:\n{}", rule.name, rule.program);
        assert_eq!(rule.counts, counts, "{}:\n{}", rule.name, rule.program);
        assert_eq!(reach(&rule.program, Limit::NONE), Some(found.reach), "{}:\n{}", rule.name, rule.program);
    }
}

#[test]
fn rules_have_names_of_their_own() {
    let mut names: Vec<_> = rules::all().iter().map(|rule| rule.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn rules_of_one_buffer_and_level_hold_in_the_semantics_of_2011() {
    for rule in rules::all().into_iter().filter(|rule| popl11::is_simple(&rule.program)) {
        let found = popl11::bag(&rule.program, Limit::NONE).expect("there is no limit");
        let counts = found.by_cost.iter().map(|(&cost, tally): (_, &Tally)| (cost, tally.all())).collect();
        assert_eq!(found.reach, rule.reach, "{}:\n{}", rule.name, rule.program);
        assert_eq!(rule.counts, counts, "{}:\n{}", rule.name, rule.program);
    }
}

#[test]
fn first_yields_lose_nothing() {
    for rule in rules::all() {
        let fewer = Program { passes_first_yields: true, ..rule.program };
        assert_eq!(reach(&fewer, Limit::NONE), Some(rule.reach), "{}:\n{fewer}", rule.name);
    }
}
