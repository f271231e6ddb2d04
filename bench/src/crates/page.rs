//! docs/crates.md.

use std::fmt::Write;

use super::table::{Outcome, Row};
use super::{MAX_EXECUTIONS, TIME_SECONDS, TOTAL_SECONDS};

/// A text within a cell of a table, or a line of a list: its first line. What follows it are calls, with paths of the machine.
fn inline(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let line = first.split_whitespace().map(in_registry).collect::<Vec<_>>().join(" ");
    line.replace('|', "\\|")
}

/// A word without where the sources of crates lie on this machine, if it is a path of one.
fn in_registry(word: &str) -> &str {
    let source = word.split_once("/registry/src/").and_then(|(_, path)| path.split_once('/'));
    source.map_or(word, |(_registry, path)| path)
}

fn share(part: usize, of: usize) -> String {
    if of == 0 { "-".to_owned() } else { format!("{part} ({:.0}%)", 100.0 * part as f64 / of as f64) }
}

fn reasons(row: &Row) -> String {
    let reasons = row.reasons();
    let reasons = reasons.iter().map(|(reason, count)| format!("{count}: {}", inline(reason)));
    reasons.collect::<Vec<_>>().join("; ")
}

/// The line of a crate.
pub fn line(row: &Row) -> String {
    if let Some(why) = &row.unbuilt {
        let why = why.lines().next().unwrap_or_default();
        return format!("| {} | {} | | | | | | not built: {} | | |", row.name, row.version, inline(why));
    }
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0} |",
        row.name,
        row.version,
        row.tests.len(),
        share(row.explored(), row.tests.len()),
        row.count(Outcome::Ok),
        row.count(Outcome::CutOff),
        row.count(Outcome::Failed),
        reasons(row),
        row.executions(),
        row.seconds
    )
}

/// The sum of all lines.
fn total(rows: &[Row]) -> String {
    let sum = |of: fn(&Row) -> usize| rows.iter().map(of).sum::<usize>();
    format!(
        "| **{} crates** | | {} | {} | {} | {} | {} | {} | {} | {:.0} |",
        rows.len(),
        sum(|row| row.tests.len()),
        share(sum(Row::explored), sum(|row| row.tests.len())),
        sum(|row| row.count(Outcome::Ok)),
        sum(|row| row.count(Outcome::CutOff)),
        sum(|row| row.count(Outcome::Failed)),
        sum(|row| row.count(Outcome::NotExplored)),
        rows.iter().map(Row::executions).sum::<u64>(),
        rows.iter().map(|row| row.seconds).sum::<f64>()
    )
}

/// What is to be told of the tests of a crate one by one; nothing if there is nothing.
fn details(row: &Row) -> String {
    let mut text = String::new();
    for (test, judged) in row.with(Outcome::Failed) {
        let judged = judged.unwrap_or("Nobody has looked at it yet.");
        let found = inline(&test.said);
        let _ = writeln!(text, "- `{}` ({}), a finding: {found}\n  {judged}", test.name, test.target);
    }
    for (test, _) in row.with(Outcome::NotExplored) {
        let _ = writeln!(text, "- `{}` ({}), not explored: {}", test.name, test.target, inline(&test.said));
    }
    let cut: Vec<_> = row.with(Outcome::CutOff).map(|(test, _)| format!("`{}`", test.name)).collect();
    if !cut.is_empty() {
        let _ = writeln!(text, "- cut off: {}", cut.join(", "));
    }
    if let Some(why) = &row.unbuilt {
        let _ = writeln!(text, "- not built: {}", inline(why));
    }
    if text.is_empty() { text } else { format!("\n### {} {}\n\n{text}", row.name, row.version) }
}

/// The page.
pub fn page(rows: &[Row], rustc: &str) -> String {
    let mut text = format!(
        "# Tests of well-known crates\n\
         \n\
         `cargo caissa test --max-executions {MAX_EXECUTIONS} --time {TIME_SECONDS} --total-time {TOTAL_SECONDS}` over the tests of crates as they are published, unchanged, with {rustc}. Made by\n\
         `cargo run --release -p bench -- crates`, which fetches them.\n\
         \n\
         Ignored tests and doctests do not count. *Explored*: at least one execution was run to its end or to `--max-steps`. *Cut off*: nothing was found, but every execution met `--max-steps`, so that\n\
         the end of the test was not reached; *ok* are the others in which nothing was found. Seconds are by the clock, without building.\n\
         \n\
         | crate | version | tests | explored | ok | cut off | findings | not explored | executions | seconds |\n\
         |---|---|--:|--:|--:|--:|--:|---|--:|--:|\n"
    );
    for row in rows {
        let _ = writeln!(text, "{}", line(row));
    }
    if rows.len() > 1 {
        let _ = writeln!(text, "{}", total(rows));
    }
    let details: String = rows.iter().map(details).collect();
    if !details.is_empty() {
        let _ = write!(text, "\n## One by one\n{details}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{OUTPUT, SUBJECT};
    use super::*;

    #[test]
    fn where_sources_lie_on_the_machine_is_left_out() {
        let read =
            "T2 reads it at /home/me/.cargo/registry/src/one-1949/some-0.8.22/src/cell.rs:1101:27, and more";
        assert_eq!(inline(read), "T2 reads it at some-0.8.22/src/cell.rs:1101:27, and more");
        assert_eq!(inline("at src/cell.rs:1 | a"), "at src/cell.rs:1 \\| a");
    }

    #[test]
    fn a_crate_is_a_line_and_what_is_to_be_told_of_its_tests() {
        let row = Row::read(&SUBJECT, OUTPUT.trim(), "").unwrap();
        let watches = "thread T watches files, which cannot be controlled";
        assert_eq!(
            line(&row),
            format!("| slab | 0.4.12 | 6 | 3 (50%) | 1 | 1 | 1 | 2: {watches}; 1: --total-time | 36 | 8 |")
        );
        let page = page(&[row], "rustc 1.0.0");
        assert!(page.contains("with rustc 1.0.0"));
        assert!(
            page.contains("### slab 0.4.12\n\n- `c` (--lib), a finding: data race on x\n  Nobody has looked")
        );
        assert!(page.contains("- `f` (--test it), not explored: --total-time\n- cut off: `b`\n"));
    }

    #[test]
    fn what_could_not_be_built_is_a_line_too() {
        let row = Row::unbuilt(&SUBJECT, "error: a | b\nmore".to_owned());
        assert_eq!(line(&row), "| slab | 0.4.12 | | | | | | not built: error: a \\| b | | |");
    }
}
