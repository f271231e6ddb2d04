//! Programs with one task, from a seed: what is hard in them is the data. Numbers of 32 bits near their ends, indices that are computed, choices whose
//! bounds are variables, loops and recursion that go as far as data says.
//!
//! Most programs do nothing wrong but to end in one way that a `final` condition excludes: one of those that exploration finds, or one that is made of
//! two of these, or next to one, and mostly is none.

use std::collections::BTreeMap;
use std::sync::Arc;

use caissa_model::Code;
use caissa_model::explicit::{self, Rounds, Watched};
use caissa_model::ir::{Program, Scalar};
use caissa_model::sequentialize::assert_no_overflow;

use crate::oracle::random::Rng;
use crate::small::{compile, times};
use crate::symbolic::engines::agreed;

/// Constants: small ones, and those near which something wraps around.
const SMALL: [&str; 8] = ["0", "1", "2", "3", "5", "7", "-1", "-3"];
const LARGE: [&str; 12] = [
    "2147483647",
    "2147483646",
    "-2147483647",
    "0x80000000",
    "0x80000001",
    "0x40000000",
    "1431655765",
    "0x55555556",
    "65536",
    "46341",
    "0xffff0000",
    "255",
];

/// What there is for everybody. Types of locals and parameters are like these.
const HEAD: &str = "
enum Mode { idle, busy, done }
record Cell { n: int, small: 0..3, mode: Mode, flags: [bool; 2] }
var x: int = START;
var y: int;
var r: 0..3;
var s: -2..5;
var b: bool;
var mode: Mode;
var fuel: int;
var list: [int; 4] = [0, 1, -1, 0x7fffffff];
var grid: [[0..7; 3]; 2];
var cells: [Cell; 3];
";

struct Maker {
    rng: Rng,
    /// Locals that are seen: numbers, those from 0 to 3, truth values.
    ints: Vec<String>,
    smalls: Vec<String>,
    truths: Vec<String>,
    /// Maps of four numbers.
    maps: Vec<String>,
    next: usize,
    /// Choices that are left.
    choices: usize,
    /// Loops around.
    loops: usize,
    /// Calls that are left, and the functions that may be called.
    calls: usize,
    functions: usize,
    /// The result that `return` needs.
    has_result: bool,
    /// Something may go wrong now and then.
    faults: bool,
}

/// A program.
fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x5e90_e471_a100_0000);
    let faults = rng.once_in(4);
    let functions = rng.weighted(&[(2, 0), (3, 1), (2, 2)]);
    let maker = Maker {
        rng,
        ints: Vec::new(),
        smalls: Vec::new(),
        truths: Vec::new(),
        maps: Vec::new(),
        next: 0,
        choices: 0,
        loops: 0,
        calls: 0,
        functions,
        has_result: false,
        faults,
    };
    maker.program()
}

impl Maker {
    fn program(mut self) -> String {
        let start = self.constant();
        let mut text = HEAD.replace("START", &start);
        (self.choices, self.calls) = (self.rng.within(2, 4), 2);
        let length = self.rng.within(4, 8);
        text += &format!("proc main() {{\n{}}}\n", self.block(length, 1));
        for function in 0..self.functions {
            text += &self.function(function);
        }
        text
    }

    /// It calls itself, or another, with less of its first parameter.
    fn function(&mut self, function: usize) -> String {
        self.ints = vec!["n".to_owned(), "p".to_owned()];
        (self.smalls, self.truths, self.maps) = (vec!["q".to_owned()], Vec::new(), Vec::new());
        (self.choices, self.calls, self.loops, self.has_result) = (1, 0, 0, true);
        let [before, after] = [2, 2].map(|most| {
            let length = self.rng.within(0, most);
            self.block(length, 1)
        });
        let other = if self.rng.once_in(2) { function } else { self.rng.below(self.functions) };
        let (number, small) = (self.int(2), self.small());
        let mut text = format!("proc f{function}(n: int, p: int, q: 0..3): int {{\n{before}");
        if self.rng.once_in(5) {
            let value = self.int(2);
            return text + &format!("{after}    return {value};\n}}\n");
        }
        let end = self.int(1);
        text += &format!("    if n <= 0 {{ return {end}; }}\n    var again: int = {number};\n");
        text += &format!("    again := f{other}(n - 1, {number}, {small});\n");
        self.ints.push("again".to_owned());
        if self.rng.once_in(4) {
            text += &format!("    if {} {{ again := f{function}(n - 2, again, q); }}\n", self.truth(1));
        }
        let value = self.int(2);
        text + &format!("{after}    return {value};\n}}\n")
    }

    fn constant(&mut self) -> String {
        if self.rng.once_in(3) { self.rng.pick(&LARGE) } else { self.rng.pick(&SMALL) }.to_owned()
    }

    fn fresh(&mut self, kind: &str) -> String {
        self.next += 1;
        format!("{kind}{}", self.next)
    }

    /// A number that can be read.
    fn variable(&mut self) -> String {
        let read = self.rng.weighted(&[(6, 0), (2, 1), (2, 2), (3, 3), (2, 4), (1, 5), (1, 6), (2, 7)]);
        match read {
            0 if !self.ints.is_empty() => self.rng.pick(&self.ints),
            1 if !self.smalls.is_empty() => self.rng.pick(&self.smalls),
            2 => self.rng.pick(&["r", "s", "fuel"]).to_owned(),
            3 => self.element(),
            4 => format!("grid[{}][{}]", self.index(2), self.index(3)),
            5 => format!("cells[{}].n", self.index(3)),
            6 => format!("cells[{}].small", self.index(3)),
            7 if !self.maps.is_empty() => {
                let map = self.rng.pick(&self.maps);
                format!("{map}[{}]", self.index(4))
            }
            _ => self.rng.pick(&["x", "y"]).to_owned(),
        }
    }

    fn element(&mut self) -> String {
        format!("list[{}]", self.index(4))
    }

    /// An index into a map of so many.
    fn index(&mut self, len: usize) -> String {
        let number = if self.rng.once_in(3) { self.int(1) } else { self.simple() };
        match self.rng.weighted(&[(4, 0), (4, 1), (2, 2), (2, 3), (usize::from(self.faults), 4)]) {
            0 => self.rng.below(len).to_string(),
            1 if len == 4 => format!("{number} & 3"),
            1 if len == 2 => format!("{number} & 1"),
            2 if len == 4 => self.small(),
            // Like a row and a place in it, but it may wrap around.
            3 if len == 4 => {
                let row = self.rng.pick(&["(r & 1)", "(x & 1)", "(b ? 1 : 0)", "(b ? 0x80000001 : 0)"]);
                format!("{row} * 2 + ({number} & 1)")
            }
            4 => number,
            _ => format!("({number} & 0x7fffffff) % {len}"),
        }
    }

    /// A number from 0 to 3.
    fn small(&mut self) -> String {
        match self.rng.below(4) {
            0 if !self.smalls.is_empty() => self.rng.pick(&self.smalls),
            0 | 1 => "r".to_owned(),
            2 => self.rng.below(4).to_string(),
            _ => format!("({} & 3)", self.simple()),
        }
    }

    fn simple(&mut self) -> String {
        if self.rng.once_in(4) {
            self.constant()
        } else {
            self.rng.pick(&["x", "y", "r", "s", "fuel"]).to_owned()
        }
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.once_in(5) {
            return if self.rng.once_in(3) { self.constant() } else { self.variable() };
        }
        let (left, right) = (self.int(depth - 1), self.int(depth - 1));
        let divide = self.rng.pick(&["/", "%"]);
        match self.rng.weighted(&[(8, 0), (2, 1), (4, 2), (3, 3), (3, 4), (2, 5), (2, 6), (2, 7), (1, 8)]) {
            0 => format!("({left} {} {right})", self.rng.pick(&["+", "-"])),
            1 => format!("({left} * {right})"),
            2 => format!("({left} {} {right})", self.rng.pick(&["&", "|", "^"])),
            3 => format!("({left} {divide} ({right} | 1))"),
            4 => format!(
                "({left} {divide} {})",
                self.rng.pick(&["2", "3", "4", "-1", "-2", "-3", "0x80000000"])
            ),
            5 => format!("({} {} {right})", left, self.rng.pick(&["<<", ">>"])),
            6 => format!("{}{left}", self.rng.pick(&["~", "-"])).replace("--", "- -"),
            7 => format!("({} ? {left} : {right})", self.truth(depth - 1)),
            _ if self.faults => format!("({left} {divide} {right})"),
            _ => format!("({right} != 0 ? {left} {divide} {right} : {left})"),
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(4) {
                0 if !self.truths.is_empty() => self.rng.pick(&self.truths),
                0 => "b".to_owned(),
                1 => format!("cells[{}].flags[{}]", self.index(3), self.index(2)),
                2 => format!("{} == {}", self.rng.pick(&["mode", "cells[1].mode"]), self.mode()),
                _ => format!("{} < {}", self.simple(), self.simple()),
            };
        }
        match self.rng.below(6) {
            0 => format!("!({})", self.truth(depth - 1)),
            1 => format!("({} && {})", self.truth(depth - 1), self.truth(depth - 1)),
            2 => format!("({} || {})", self.truth(depth - 1), self.truth(depth - 1)),
            _ => {
                let op = self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({} {op} {})", self.int(depth), self.int(depth))
            }
        }
    }

    fn mode(&mut self) -> &'static str {
        self.rng.pick(&["idle", "busy", "done"])
    }

    fn block(&mut self, length: usize, depth: usize) -> String {
        let seen = (self.ints.len(), self.smalls.len(), self.truths.len(), self.maps.len());
        let indent = "    ".repeat(depth);
        let text = (0..length).map(|_| format!("{indent}{}\n", self.statement(depth))).collect();
        self.ints.truncate(seen.0);
        self.smalls.truncate(seen.1);
        self.truths.truncate(seen.2);
        self.maps.truncate(seen.3);
        text
    }

    fn inner(&mut self, depth: usize) -> String {
        let length = self.rng.within(1, 3);
        format!("{{\n{}{}}}", self.block(length, depth + 1), "    ".repeat(depth))
    }

    fn statement(&mut self, depth: usize) -> String {
        let nests = usize::from(depth < 4);
        let loops = usize::from(self.loops < 2) * nests;
        let choices = usize::from(self.choices > 0);
        let calls = usize::from(self.calls > 0 && self.functions > 0 && self.loops < 2);
        let what = [
            (10, 0),
            (9 * choices, 1),
            (4 * nests, 2),
            (5 * loops, 3),
            (6 * calls, 4),
            (3, 5),
            (1, 6),
            (2 * usize::from(self.faults), 7),
            (usize::from(depth > 1), 8),
        ];
        match self.rng.weighted(&what) {
            0 => self.assignment(),
            1 => self.choice(),
            2 if self.choices > 0 && self.rng.once_in(3) => {
                self.choices -= 1;
                format!("either {} or {}", self.inner(depth), self.inner(depth))
            }
            2 => {
                let condition = self.truth(2);
                let other =
                    if self.rng.once_in(2) { format!(" else {}", self.inner(depth)) } else { String::new() };
                format!("if {condition} {}{other}", self.inner(depth))
            }
            3 => self.repetition(depth),
            4 => {
                self.calls -= 1;
                let function = self.rng.below(self.functions);
                let (number, small) = (self.int(1), self.small());
                let place = match self.rng.below(5) {
                    0 => format!("{} := ", self.element()),
                    1 => String::new(),
                    _ => self.rng.pick(&["x := ", "y := "]).to_owned(),
                };
                format!("{place}f{function}({} & 3, {number}, {small});", self.simple())
            }
            5 => self.local(),
            6 => format!("assume ({} & 7) != {};", self.int(2), self.rng.below(8)),
            7 => format!("assert ({} & 31) != {};", self.int(2), self.rng.below(32)),
            _ if self.has_result => format!("if {} {{ return {}; }}", self.truth(1), self.int(1)),
            _ => format!("if {} {{ return; }}", self.truth(1)),
        }
    }

    fn assignment(&mut self) -> String {
        let value = self.int(2);
        match self.rng.below(11) {
            0 => format!("r := {};", if self.faults { value } else { self.small() }),
            1 => format!("s := ({value} & 7) - 2;"),
            2 => format!("b := {};", self.truth(2)),
            3 => format!("mode := {};", self.mode()),
            4 => format!("{} := {value};", self.element()),
            5 => format!("grid[{}][{}] := {value} & 7;", self.index(2), self.index(3)),
            6 => match self.rng.below(4) {
                0 => format!("cells[{}].n := {value};", self.index(3)),
                1 => format!("cells[{}].small := {};", self.index(3), self.small()),
                2 => format!("cells[{}].mode := {};", self.index(3), self.mode()),
                _ => format!("cells[{}].flags[{}] := {};", self.index(3), self.index(2), self.truth(1)),
            },
            7 if !self.maps.is_empty() => {
                let map = self.rng.pick(&self.maps);
                format!("{map}[{}] := {value};", self.index(4))
            }
            _ => {
                // Not the variable of a `for`, nor that which recursion counts by.
                let ints = self.ints.iter().filter(|name| !name.starts_with(['i', 'n'])).cloned();
                let mut places: Vec<String> = ints.collect();
                places.extend(["x".to_owned(), "y".to_owned()]);
                format!("{} := {value};", self.rng.pick(&places))
            }
        }
    }

    /// With two or three values, from where a variable is.
    fn choice(&mut self) -> String {
        self.choices -= 1;
        let place = self.rng.pick(&["x", "y", "x", "y", "list[1]", "cells[r % 3].n"]);
        let (from, more) = (self.simple(), self.variable());
        match self.rng.below(11) {
            0 => "havoc r;".to_owned(),
            1 => "havoc b;".to_owned(),
            2 => format!("{place} := choose(0, r);"),
            3 => format!("{place} := choose({from} & 0xff, ({from} & 0xff) + ({more} & 3));"),
            4 => format!("{place} := {} ? choose(-1, 1) : {};", self.truth(1), self.int(1)),
            5 if self.faults => format!("{place} := choose({from}, {from} + 2);"),
            5 => format!("{place} := choose({from} & ~3, {from} | 3);"),
            6 => format!("{place} := {} + choose(0, 2);", self.int(1)),
            7 => format!("{place} := choose(-({more} & 3), {} & 3);", self.variable()),
            8 => "havoc s;".to_owned(),
            9 => {
                let ends = self.rng.pick(&["2147483646, 2147483647", "0x80000000, 0x80000001"]);
                format!("{place} := choose({ends});")
            }
            _ => {
                format!("{place} := choose({from} / 2, ({from} / 2) + {});", self.rng.pick(&["1", "r", "2"]))
            }
        }
    }

    /// A loop that ends: it counts, or takes from what all loops have together.
    fn repetition(&mut self, depth: usize) -> String {
        self.loops += 1;
        let counter = self.fresh("c");
        let (most, more) = (self.simple(), self.truth(1));
        let text = match self.rng.below(6) {
            0 => {
                let (from, to) = match self.rng.below(4) {
                    0 => ("0x7ffffffd | 0".to_owned(), "2147483647".to_owned()),
                    1 => (format!("{most} & 1"), "r".to_owned()),
                    2 => (format!("{most} / 2"), format!("{most} / 2 + (y & 1)")),
                    _ => ("0".to_owned(), format!("{most} & 3")),
                };
                let name = self.fresh("i");
                self.ints.push(name.clone());
                let body = self.inner(depth);
                self.ints.pop();
                format!("for {name} in {from}..{to} {body}")
            }
            1 | 2 => {
                let spent = self.rng.pick(&["fuel := fuel + 1;", "fuel := fuel + 1 + (x & 1);"]);
                let condition = match self.rng.below(3) {
                    0 => "fuel < 3".to_owned(),
                    1 => format!("fuel < 4 && {more}"),
                    _ => format!("fuel < ({most} & 3)"),
                };
                let body = self.inner(depth);
                format!(
                    "while {condition} {{ {spent} {} }}",
                    body.trim_start_matches('{').trim_end_matches('}')
                )
            }
            kind => {
                let condition = match kind {
                    3 if self.choices > 0 => {
                        self.choices -= 1;
                        format!("{counter} < 3 && *")
                    }
                    4 => format!("{counter} < ({most} & 3)"),
                    _ => format!("{counter} < 4 && {more}"),
                };
                let body = self.inner(depth);
                let body = body.trim_start_matches('{').trim_end_matches('}').to_owned();
                self.ints.push(counter.clone());
                format!("var {counter}: int; while {condition} {{ {counter} := {counter} + 1; {body} }}")
            }
        };
        self.loops -= 1;
        text
    }

    fn local(&mut self) -> String {
        match self.rng.below(6) {
            0 => {
                let (name, value) = (self.fresh("small"), self.small());
                self.smalls.push(name.clone());
                format!("var {name}: 0..3 = {value};")
            }
            1 => {
                let (name, value) = (self.fresh("t"), self.truth(2));
                self.truths.push(name.clone());
                format!("var {name}: bool = {value};")
            }
            2 => {
                let (name, value) = (self.fresh("m"), self.int(1));
                self.maps.push(name.clone());
                format!("var {name}: [int; 4] = {value};")
            }
            _ => {
                let (name, value) = (self.fresh("v"), self.int(2));
                self.ints.push(name.clone());
                format!("var {name}: int = {value};")
            }
        }
    }
}

/// The elements of globals as they are written, and whether they are truth values.
fn elements(program: &Program) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    for var in &program.globals {
        for at in 0..var.size() {
            let text = match (&*var.name, var.len) {
                ("grid", _) => format!("grid[{}][{}]", at / 3, at % 3),
                ("cells.flags", _) => format!("cells[{}].flags[{}]", at / 2, at % 2),
                (name, None) => name.to_owned(),
                (name, Some(_)) => match name.split_once('.') {
                    Some((record, field)) => format!("{record}[{at}].{field}"),
                    None => format!("{name}[{at}]"),
                },
            };
            all.push((text, matches!(var.ty, Scalar::Bool)));
        }
    }
    all
}

/// A condition that excludes one way to end, or something like it; none if there are too many, or none.
fn excluded(code: &Code, rng: &mut Rng) -> Option<String> {
    let settings = explicit::Settings { census: true, max_states: 5_000, ..explicit::Settings::default() };
    let explored = explicit::explore(code, &settings, &Watched::default());
    let ends: Vec<Vec<i32>> = explored.census.terminated.into_iter().map(|(_, values)| values).collect();
    if !explored.complete || ends.is_empty() {
        return None;
    }
    let mut end = rng.pick(&ends);
    if rng.once_in(2) {
        // In parts like another; or, if that is one too, next to it.
        let other = rng.pick(&ends);
        for (value, other) in end.iter_mut().zip(other) {
            if rng.once_in(2) {
                *value = other;
            }
        }
        if ends.contains(&end) {
            end[0] = end[0].wrapping_add(1);
        }
    }
    let mut same = Vec::new();
    for ((name, is_truth), value) in elements(code.program()).into_iter().zip(end) {
        same.push(match (&*name, is_truth) {
            (_, true) => format!("{name} == {}", value == 1),
            (name, false) if name.ends_with("mode") => {
                format!("{name} == {}", ["idle", "busy", "done"][value as usize])
            }
            (name, false) => format!("{name} == 0x{value:x}"),
        });
    }
    Some(format!("final !({});\n", same.join(" && ")))
}

/// A program, mostly with a condition that excludes one way to end.
fn with_end(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0xe4d5_5e90_0000_0000);
    let text = program(seed);
    let last = if rng.once_in(8) { None } else { excluded(&compile(&text), &mut rng) };
    last.unwrap_or_default() + &text
}

/// What makes programs differ, and the words that tell.
const FEATURES: [(&str, &[&str]); 6] = [
    ("all", &[]),
    ("choices with variables", &["choose(", "& 3)"]),
    ("for", &["for i"]),
    ("maps of records", &["cells["]),
    ("recursion", &["again := f"]),
    ("while", &["while "]),
];

#[test]
fn data_goes_wrong_in_the_same_programs() {
    let mut by_feature: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut by_kind: BTreeMap<&str, u32> = BTreeMap::new();
    let mut unsaid: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..400 * times() {
        let text = with_end(seed);
        let overflow = seed % 5 == 0;
        let mut code = compile(&text);
        if overflow {
            code = Arc::new(Code::new(assert_no_overflow(code.program())));
        }
        let rounds = Rounds { buffers: 1, tasks: 1, reorder: true };
        match agreed(&code, rounds, &format!("seed {seed}, overflow {overflow}:\n{text}")) {
            Err(why) => *unsaid.entry(format!("{why:?}")).or_default() += 1,
            Ok(said) => {
                *by_kind.entry(said.unwrap_or("nothing")).or_default() += 1;
                for (name, words) in FEATURES {
                    if words.iter().all(|word| text.contains(word)) {
                        let (wrong, right) = by_feature.entry(name).or_default();
                        *(if said.is_some() { wrong } else { right }) += 1;
                    }
                }
            }
        }
    }
    println!("{by_feature:#?}\n{by_kind:#?}\n{unsaid:#?}");
    for (name, _) in FEATURES {
        let &(wrong, right) = by_feature.get(name).unwrap_or(&(0, 0));
        assert!(wrong >= 10 && right >= 10, "few programs with {name}: {wrong} wrong, {right} right");
    }
}
