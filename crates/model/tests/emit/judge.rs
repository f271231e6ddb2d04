//! What the explicit engine says of a sequential program: the verdict that all others are held against.

use std::collections::BTreeSet;

use caissa_model::explicit::{self, Settings, Watched, Wrong};
use caissa_model::ir::Program;
use caissa_model::{Code, Fault, load};

/// How an execution ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// With these globals.
    Complete(Vec<i32>),
    /// With the message of an assertion or a final condition.
    Failed(String),
}

pub fn read(text: &str) -> Program {
    load("test.cai", text, &[]).unwrap_or_else(|errors| panic!("{text}\n{}", errors.render(false)))
}

/// All ends of a program.
pub fn ends(program: &Program) -> BTreeSet<End> {
    let code = Code::new(program.clone());
    let settings = Settings { census: true, ..Settings::default() };
    let explored = explicit::explore(&code, &settings, &Watched::default());
    assert!(
        explored.complete && explored.ended.is_none() && !explored.long,
        "not all is explored:\n{program}"
    );
    let failed = explored.census.wrong.into_iter().map(|(_, wrong)| match wrong {
        Wrong::Fault(fault @ (Fault::Assertion(_) | Fault::Final(_))) => End::Failed(code.describe(fault)),
        other => panic!("only assertions may fail: {other:?}\n{program}"),
    });
    let mut ends: BTreeSet<End> = failed.collect();
    // It also tells of ends where a final condition does not hold.
    if program.finals.is_empty() {
        ends.extend(explored.census.terminated.into_iter().map(|(_, values)| End::Complete(values)));
    }
    ends
}

/// Whether something can go wrong.
pub fn has_bug(ends: &BTreeSet<End>) -> bool {
    ends.iter().any(|end| matches!(end, End::Failed(_)))
}
