//! A part of the benchmark: its rows, what it claims, and how both are shown.

use std::io::IsTerminal;

use crate::figures::{Claim, Figures, Wanted, short};
use crate::json::Json;

/// One line of a table.
pub struct Row {
    pub program: String,
    pub checker: String,
    pub figures: Figures,
    /// Counts that go with it.
    pub facts: Vec<(&'static str, u64)>,
}

pub struct Section {
    pub name: &'static str,
    /// What the figures are.
    pub unit: &'static str,
    pub rows: Vec<Row>,
    pub claims: Vec<Claim>,
    /// What could not be measured, and why.
    pub remarks: Vec<String>,
}

/// One thing to be measured, again in each round.
pub struct Cell<'c> {
    pub label: String,
    pub measure: Box<dyn FnMut() -> f64 + 'c>,
    pub figures: Figures,
}

impl<'c> Cell<'c> {
    pub fn new(label: String, measure: impl FnMut() -> f64 + 'c) -> Cell<'c> {
        Cell { label, measure: Box::new(measure), figures: Figures::default() }
    }
}

/// Measures everything once, then everything again: what changes slowly on the machine touches all alike.
pub fn interleaved(rounds: usize, cells: &mut [Cell<'_>]) {
    for round in 1..=rounds {
        for cell in &mut *cells {
            said(&format!("round {round} of {rounds}: {}", cell.label));
            cell.figures.push((cell.measure)());
        }
    }
    said("");
}

/// Shows on a terminal what is being done now, in the place of what was done before.
pub fn said(what: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r{what:70}\r");
    }
}

impl Section {
    pub fn json(&self) -> Json {
        let row = |row: &Row| {
            let facts = row.facts.iter().map(|&(name, count)| (name, count.into()));
            let mut fields: Vec<(&'static str, Json)> =
                vec![("program", row.program.as_str().into()), ("checker", row.checker.as_str().into())];
            fields.push(("figures", (&row.figures).into()));
            fields.extend(facts);
            Json::Object(fields)
        };
        Json::Object(vec![
            ("name", self.name.into()),
            ("unit", self.unit.into()),
            ("rows", Json::List(self.rows.iter().map(row).collect())),
            ("claims", self.claims.iter().collect()),
            ("remarks", self.remarks.iter().map(String::as_str).collect()),
        ])
    }

    pub fn print(&self) {
        println!("\n## {}\n", self.name);
        println!("| program | checker | {} | lowest..highest | counts |", self.unit);
        println!("|---|---|--:|--:|---|");
        for row in &self.rows {
            let facts: Vec<String> =
                row.facts.iter().map(|(name, count)| format!("{count} {name}")).collect();
            let [median, lowest, highest] =
                [row.figures.median(), row.figures.lowest(), row.figures.highest()].map(short);
            println!(
                "| {} | {} | {median} | {lowest}..{highest} | {} |",
                row.program,
                row.checker,
                facts.join(", ")
            );
        }
        for remark in &self.remarks {
            println!("\n{remark}");
        }
    }
}

pub fn print_claims<'s>(claims: impl IntoIterator<Item = &'s Claim>) {
    println!("\n## What is claimed\n");
    println!("| claim | measured | lowest..highest | floor | goal |");
    println!("|---|--:|--:|---|---|");
    for claim in claims {
        let sign = match claim.wanted {
            Wanted::AtLeast => ">=",
            Wanted::AtMost => "<=",
        };
        let said = |limit: f64, met: bool| format!("{sign} {limit}: {}", if met { "met" } else { "MISSED" });
        let goal = claim.goal.zip(claim.goal_met()).map(|(goal, met)| said(goal, met));
        println!(
            "| {} | {}x | {}..{} | {} | {} |",
            claim.what,
            short(claim.measured.median()),
            short(claim.measured.lowest()),
            short(claim.measured.highest()),
            said(claim.floor, claim.met()),
            goal.unwrap_or_default(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_interleaved() {
        let order = std::cell::RefCell::new(Vec::new());
        let cell = |name: &'static str| {
            let order = &order;
            Cell::new(name.to_owned(), move || {
                order.borrow_mut().push(name);
                order.borrow().len() as f64
            })
        };
        let mut cells = [cell("a"), cell("b")];
        interleaved(3, &mut cells);
        let [a, b] = cells.map(|cell| cell.figures);
        assert_eq!(*order.borrow(), ["a", "b", "a", "b", "a", "b"]);
        assert_eq!((a.median(), b.median()), (3.0, 4.0));
    }

    #[test]
    fn a_section_is_one_json_object() {
        let mut figures = Figures::default();
        figures.push(2.0);
        let section = Section {
            name: "speed",
            unit: "executions per CPU s",
            rows: vec![Row {
                program: "a".into(),
                checker: "loom".into(),
                figures: figures.clone(),
                facts: vec![("executions", 5)],
            }],
            claims: vec![Claim::at_least("a \"claim\"".into(), figures, 1.0, None)],
            remarks: vec!["strace is not installed".into()],
        };
        let text = section.json().to_string();
        assert!(crate::json::tests::well_formed(&text), "{text}");
        assert!(text.contains("\"executions\": 5"));
    }
}
