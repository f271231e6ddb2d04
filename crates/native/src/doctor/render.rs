//! Findings as text: a line for each, and below those that are not as they should be what to do.

use std::fmt::Write as _;

use super::{Finding, State};

/// The whole report, with a line in the end that says what it comes to.
pub fn render(findings: &[Finding]) -> String {
    let width = findings.iter().map(|finding| finding.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Finding { name, state } in findings {
        let (word, what, remedy) = match state {
            State::Ok(found) => ("ok", found.as_str(), None),
            State::Missing { remedy } => ("missing", remedy.as_str(), None),
            State::Degraded { problem, remedy } => ("degraded", problem.as_str(), Some(remedy)),
        };
        let _ = writeln!(text, "{word:8}  {name:width$}  {what}");
        if let Some(remedy) = remedy {
            let _ = writeln!(text, "{:8}  {:width$}  {remedy}", "", "");
        }
    }
    text.push_str(conclusion(findings));
    text
}

fn conclusion(findings: &[Finding]) -> &'static str {
    let is = |wanted: fn(&State) -> bool| findings.iter().any(|finding| wanted(&finding.state));
    if is(|state| matches!(state, State::Missing { .. })) {
        "\nSomething is missing without which native programs cannot all be checked.\n"
    } else if is(|state| matches!(state, State::Degraded { .. })) {
        "\nNative programs can be checked, though not everything is as it should be.\n"
    } else {
        "\nEverything is there.\n"
    }
}
