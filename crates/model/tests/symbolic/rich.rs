//! Random programs with everything that the language has.
//!
//! Those of `oracle/random.rs`, and those of `crafted`. Most have one `final` condition that excludes one of the ends that are possible without bounds:
//! whether that is within the rounds is what the engines must agree on.

use std::collections::BTreeMap;

use caissa_model::explicit::{self, Rounds, Watched};

use crate::oracle::ast::{Block, Expr, Kind, Op, Place, Program, Stmt, Type};
use crate::oracle::explore::{Limit, executions};
use crate::oracle::random::{Rng, Shape, program};
use crate::oracle::write::{binary, int};
use crate::small::{compile, times};
use crate::symbolic::engines::{Said, agreed, slot};
use crate::symbolic::{crafted, waiting};

const ROUNDS: [(u32, u32); 7] = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (1, 3), (3, 2)];

/// What the ends of a program are looked for with.
const LIMIT: Limit = Limit { steps: 20_000 };

/// How often engines agreed that a program is wrong, and that it is right, by what is in the program.
#[derive(Debug, Default)]
struct Tally {
    by_feature: BTreeMap<&'static str, (u32, u32)>,
    by_kind: BTreeMap<&'static str, u32>,
    /// For more than one round of tasks, whether those that have not begun may be put off.
    reordered: (u32, u32),
    too_large: u32,
}

/// What makes programs differ, and the words that tell.
const FEATURES: [(&str, &[&str]); 15] = [
    ("all", &[]),
    ("arguments", &["post ", "v0:"]),
    ("arrays", &["[0"]),
    ("atomic", &["atomic"]),
    ("await", &["await"]),
    ("calls", &[" := p"]),
    ("choose", &["choose("]),
    ("final", &["final"]),
    ("implicit", &["implicit"]),
    ("interrupts", &["raise"]),
    ("locks", &["lock m0"]),
    ("loops", &["while"]),
    ("serial", &["serial"]),
    ("three buffers", &["b2"]),
    ("three levels", &["l2", "post", "at l1"]),
];

/// The same for those of `crafted`.
const CRAFTED: [(&str, &[&str]); 10] = [
    ("all", &[]),
    ("arguments", &["post task"]),
    ("calls", &["x := f("]),
    ("interrupts", &["raise"]),
    ("locks", &["lock k"]),
    ("pause", &["pause"]),
    ("recursion", &["r := f("]),
    ("tasks that post themselves", &["(p - 1, q) at"]),
    ("three buffers", &["buffer b2"]),
    ("three levels", &["at l2", "at l1"]),
];

/// The same for those of `waiting`.
const WAITING: [(&str, &[&str]); 6] = [
    ("all", &[]),
    ("interrupts", &["raise"]),
    ("locks", &["lock k"]),
    ("serial", &["serial"]),
    ("three buffers", &["buffer b2"]),
    ("two levels", &["at l1"]),
];

impl Tally {
    fn agree(&mut self, seed: u64, text: &str, features: &[(&'static str, &[&str])]) {
        self.agree_on(seed, text, features, &[true, false]);
    }

    fn agree_on(&mut self, seed: u64, text: &str, features: &[(&'static str, &[&str])], reorders: &[bool]) {
        let (code, shown) = (compile(text), format!("seed {seed}:\n{text}"));
        for (buffers, tasks) in ROUNDS {
            for &reorder in reorders {
                if tasks == 1 && !reorder {
                    continue;
                }
                let said = agreed(&code, Rounds { buffers, tasks, reorder }, &shown);
                self.note(said, text, features);
                if said.is_ok() && tasks > 1 {
                    *(if reorder { &mut self.reordered.0 } else { &mut self.reordered.1 }) += 1;
                }
            }
        }
    }

    fn note(&mut self, said: Said, text: &str, features: &[(&'static str, &[&str])]) {
        let Ok(said) = said else {
            self.too_large += 1;
            return;
        };
        if let Some(kind) = said {
            *self.by_kind.entry(kind).or_default() += 1;
        }
        for (name, words) in features {
            if words.iter().all(|word| text.contains(word)) {
                let (wrong, right) = self.by_feature.entry(name).or_default();
                *(if said.is_some() { wrong } else { right }) += 1;
            }
        }
    }

    /// Enough of everything was compared.
    fn is_enough(&self, features: &[(&'static str, &[&str])], kinds: &[&str]) {
        println!("{self:#?}");
        let (wrong, right) = self.by_feature["all"];
        assert!(self.too_large * 4 < wrong + right, "most programs are small");
        assert!(self.reordered.0 > 200 && self.reordered.1 > 200);
        for (name, _) in features {
            let &(wrong, right) = self.by_feature.get(name).unwrap_or(&(0, 0));
            assert!(wrong >= 10 && right >= 10, "few programs with {name}: {wrong} wrong, {right} right");
        }
        for kind in kinds {
            assert!(self.by_kind.contains_key(kind), "no program goes wrong by {kind}");
        }
    }
}

fn without_asserts(block: &mut Block) {
    for stmt in block {
        match stmt {
            Stmt::Assert(_) => *stmt = Stmt::Skip,
            Stmt::If(_, yes, no) => [yes, no].into_iter().for_each(without_asserts),
            Stmt::While(_, body) | Stmt::For { body, .. } | Stmt::Atomic(body) => without_asserts(body),
            Stmt::Either(branches) => branches.iter_mut().for_each(without_asserts),
            _ => {}
        }
    }
}

/// The condition that globals do not have these values.
fn differs(program: &Program, values: &[i32]) -> Expr {
    let mut values = values.iter();
    let mut same = Expr::Bool(true);
    for (g, global) in program.globals.iter().enumerate() {
        for index in 0..global.len.unwrap_or(1) {
            let place = match global.len {
                None => Place::Global(g),
                Some(_) => Place::Element(g, Box::new(int(index as i32))),
            };
            let value = *values.next().expect("there is a value for each");
            let value = if global.ty == Type::Bool { Expr::Bool(value != 0) } else { int(value) };
            same = binary(Op::And, same, binary(Op::Eq, Expr::Read(place), value));
        }
    }
    Expr::Not(Box::new(same))
}

/// The program with nothing that can go wrong but that it ends in a certain way, if there is nothing else.
fn by_end(mut program: Program, rng: &mut Rng) -> Option<Program> {
    program.procs.iter_mut().for_each(|proc| without_asserts(&mut proc.body));
    program.finals.clear();
    let reach = executions(&program, LIMIT)?.reach;
    if reach.bugs.keys().any(|kind| *kind != Kind::Deadlock) || reach.finals.is_empty() {
        return None;
    }
    let ends: Vec<_> = reach.finals.keys().collect();
    let end = rng.pick(&ends);
    let condition = differs(&program, end);
    program.finals.push(condition);
    Some(program)
}

fn varied(seed: u64) -> Program {
    let mut rng = Rng::new(seed ^ 0x7ea5_0000_0000);
    loop {
        let shapes = [(6, Shape::Buffers), (2, Shape::Implicit), (1, Shape::Simple), (1, Shape::Threads)];
        let mut program = program(rng.weighted(&shapes), rng.next());
        if !rng.once_in(4) {
            // Numbers of 32 bits make large questions.
            let ints = program.globals.iter_mut().filter(|global| global.ty == Type::Int);
            ints.for_each(|global| global.ty = Type::Range(-3, 7));
        }
        if rng.once_in(3) {
            return program;
        }
        if let Some(program) = by_end(program, &mut rng) {
            return program;
        }
    }
}

/// A crafted program with a condition that excludes one of its ends, if it has any.
fn crafted_by_end(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0xe4d5_0000_0000);
    let text = crafted::program(seed);
    let code = compile(&text);
    let settings = explicit::Settings { census: true, max_states: 2_000, ..explicit::Settings::default() };
    let ends = explicit::explore(&code, &settings, &Watched::default()).census.terminated;
    if ends.is_empty() {
        return text;
    }
    let (_, end) = rng.pick(&ends);
    let value = |name: &str| end[slot(code.program(), name).expect("crafted programs have it")];
    let (x, y, n) = (value("x"), value("y") == 1, value("cells.n"));
    match rng.below(3) {
        0 => format!("final !(x == {x} && y == {y} && cells[0].n == {n});\n{text}"),
        1 => format!("final !(x == {x} && y == {y});\n{text}"),
        _ => format!("final !(x == {x} && cells[0].n == {n});\n{text}"),
    }
}

#[test]
fn varied_programs_go_wrong_within_the_same_rounds() {
    let mut tally = Tally::default();
    for seed in 0..200 * times() {
        tally.agree(seed, &varied(seed).to_string(), &FEATURES);
    }
    tally.is_enough(&FEATURES, &["assertion", "division", "final", "range", "unlock"]);
}

#[test]
fn crafted_programs_go_wrong_within_the_same_rounds() {
    let mut tally = Tally::default();
    for seed in 0..200 * times() {
        tally.agree(seed, &crafted_by_end(seed), &CRAFTED);
    }
    tally.is_enough(&CRAFTED, &["assertion", "choice", "division", "final", "index"]);
}

#[test]
fn waiting_programs_go_wrong_within_the_same_rounds() {
    let mut tally = Tally::default();
    for seed in 0..200 * times() {
        let text = waiting::program(seed);
        let reorders: &[bool] = &[true, false];
        tally.agree_on(seed, &text, &WAITING, reorders);
    }
    tally.is_enough(&WAITING, &["assertion"]);
}
