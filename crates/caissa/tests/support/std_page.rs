//! What docs/std.md says of each item of std.

use std::collections::BTreeMap;

const DOC: &str = include_str!("../../../../docs/std.md");

/// How an item of std fares here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fares {
    Supported,
    Differs,
    /// It is std's own, and so is everything below it.
    Stds,
    NotYet,
}

/// `a::{b, c}` stands for `a::b` and `a::c`.
pub fn expanded(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (choices, after) = rest.split_once('}').unwrap_or_else(|| panic!("no closing brace in {path}"));
    let choices = choices.split(',').map(str::trim);
    choices.flat_map(|choice| expanded(&format!("{before}{choice}{after}"))).collect()
}

/// What the tables of the page say, by path.
pub fn documented() -> BTreeMap<String, Fares> {
    let mut items = BTreeMap::new();
    let mut module = String::new();
    for line in DOC.lines() {
        if let Some(heading) = line.strip_prefix("## `") {
            module = heading.trim_end_matches('`').to_owned();
        }
        let Some(cells) = line.strip_prefix("| `") else { continue };
        let cells: Vec<&str> = cells.trim_end_matches('|').split('|').map(str::trim).collect();
        let [names, fares, remark] = cells[..] else { panic!("three columns: {line}") };
        let fares = match fares {
            "supported" => Fares::Supported,
            "differs" => Fares::Differs,
            "std's" => Fares::Stds,
            "not yet" | "no" => Fares::NotYet,
            other => panic!("`{other}` is no word for how an item fares: {line}"),
        };
        let needs_remark = matches!(fares, Fares::Differs | Fares::NotYet);
        assert!(!needs_remark || !remark.is_empty(), "say how or why: {line}");
        for path in expanded(names.trim_end_matches('`')) {
            let path = if module == "std" { format!("std::{path}") } else { format!("{module}::{path}") };
            assert!(items.insert(path.clone(), fares).is_none(), "{path} stands there twice");
        }
    }
    items
}
