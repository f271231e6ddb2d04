//! Every item that docs/std.md says is ours, with tasks that contend around it under every schedule.
//!
//! Each program in `std_contention/` is small, names the items that it covers, and has a set of outcomes that follows from what
//! std says of these items: no schedule gives another one, and each is given by some schedule. So a test fails if an item
//! does nothing, lets others come between, does not wait, does not wake, or does not leave open what std leaves open. The
//! tests here compare the items that are covered with the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::Duration;

use caissa::sync::Arc;
use caissa::thread;

use crate::support::std_page::{Fares, documented, expanded};
use crate::support::types_outcomes::{outcomes_of_dfs, outcomes_within};

/// Programs, each with the items that it covers, its body, and its outcomes for a budget of faults. `every_search` must come
/// to the same; only `dfs` where tasks share memory that is not seen as such, or where a point too many would be a mistake.
macro_rules! programs {
    ($(
        $(#[$doc:meta])*
        fn $name:ident by $search:ident covers [$($item:expr),+ $(,)?] $body:block
        $(within $faults:literal faults gives $expected:expr;)+
    )+) => {
        pub const COVERED: &[$crate::std_contention::Covered] = &[$($crate::std_contention::Covered {
            program: concat!(module_path!(), "::", stringify!($name)),
            items: &[$($item),+],
            text: stringify!($body),
        }),+];
        $(
            $(#[$doc])*
            #[test]
            fn $name() {
                $(
                    $crate::std_contention::assert_gives($crate::std_contention::$search, $faults, || $body, $expected);
                )+
            }
        )+
    };
}

mod atomics;
mod cells;
mod channels;
mod locks;
mod memory;
mod once;
mod threads;
mod time;
mod waiting;

const MS: Duration = Duration::from_millis(1);
const ZERO: Duration = Duration::ZERO;

/// What a program covers.
pub struct Covered {
    program: &'static str,
    /// Paths below `std`, with lists in braces.
    items: &'static [&'static str],
    /// The program itself.
    text: &'static str,
}

/// A program that gives its outcome as text, so that exploring it is compiled once, and not for each program.
type Program = Box<dyn Fn() -> String + Send + Sync>;

fn every_search(faults: u32, program: Program) -> BTreeSet<String> {
    outcomes_within(faults, program)
}

fn dfs(faults: u32, program: Program) -> BTreeSet<String> {
    outcomes_of_dfs(faults, program)
}

/// Asserts that a program has exactly these outcomes.
#[track_caller]
fn assert_gives<T: Debug>(
    search: fn(u32, Program) -> BTreeSet<String>,
    faults: u32,
    program: impl Fn() -> T + Send + Sync + 'static,
    expected: impl IntoIterator<Item = T>,
) {
    let seen = search(faults, Box::new(move || format!("{:?}", program())));
    let expected: BTreeSet<String> = expected.into_iter().map(|outcome| format!("{outcome:?}")).collect();
    assert_eq!(seen, expected, "within {faults} faults");
}

/// The main task does `mine` and another one does `theirs` with the same value; what is left of it, and what they give.
fn contend<S, A, B>(
    shared: S,
    mine: impl FnOnce(&S) -> A,
    theirs: impl FnOnce(&S) -> B + Send + 'static,
) -> (S, A, B)
where
    S: Send + Sync + 'static,
    B: Send + 'static,
{
    let shared = Arc::new(shared);
    let other: Box<dyn FnOnce() -> B + Send> = {
        let shared = Arc::clone(&shared);
        Box::new(move || theirs(&shared))
    };
    let other = thread::spawn(other);
    let mine = mine(&shared);
    let theirs = other.join().unwrap();
    (Arc::into_inner(shared).expect("the other task has ended"), mine, theirs)
}

/// All programs.
fn covered() -> Vec<&'static Covered> {
    let modules = [
        cells::COVERED,
        channels::COVERED,
        locks::COVERED,
        memory::COVERED,
        once::COVERED,
        threads::COVERED,
        time::COVERED,
        waiting::COVERED,
    ];
    modules.into_iter().flatten().chain(atomics::covered()).collect()
}

#[test]
fn every_item_that_is_ours_is_contended_for() {
    let ours = |&(_, fares): &(String, Fares)| matches!(fares, Fares::Supported | Fares::Differs);
    let documented: BTreeSet<String> = documented().into_iter().filter(ours).map(|(item, _)| item).collect();
    let mut programs: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for covered in covered() {
        for item in covered.items.iter().flat_map(|items| expanded(items)) {
            programs.entry(format!("std::{item}")).or_default().push(covered.program);
        }
    }
    let missing: Vec<_> = documented.iter().filter(|item| !programs.contains_key(*item)).collect();
    assert!(missing.is_empty(), "no program contends around {missing:#?}");
    programs.retain(|item, _| !documented.contains(item));
    assert!(programs.is_empty(), "docs/std.md does not say that we have {programs:#?}");
}

/// No proof that its outcomes depend on it, but a program without it cannot cover it.
#[test]
fn a_program_names_what_it_covers() {
    for Covered { program, items, text } in covered() {
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for item in items.iter().flat_map(|items| expanded(items)) {
            let name = item.rsplit("::").next().expect("a path has a last name");
            assert!(words.contains(name), "{program} is said to cover {item} and does not name it:\n{text}");
        }
    }
}
