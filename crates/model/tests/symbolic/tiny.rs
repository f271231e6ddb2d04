//! The sequential program itself, run in every way by the explicit engine: it ends with the values that the concurrent one can end with.
//!
//! Every guess is a choice among all values, so programs are tiny: two truth values and a few statements. An assumption that does
//! not hold ends a wrong guess; an execution in which a buffer has halted (`unfinished`) is no end of the program.

use std::collections::BTreeSet;

use caissa_model::Code;
use caissa_model::explicit::{self, Rounds, Watched};
use caissa_model::ir::StmtKind;
use caissa_model::sequentialize::{Bounds, Covered, sequentialize};

use crate::oracle::random::Rng;
use crate::small::{compile, times};
use crate::symbolic::engines::{agreed, count, slot};

const ROUNDS: [(u32, u32); 5] = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3)];

/// Programs with more choices are not explored: each doubles the work at least.
const MOST_CHOICES: usize = 20;

type Ends = BTreeSet<Vec<i32>>;

/// The values with which the sequential program ends; none if it has too many choices.
fn by_program(code: &Code, rounds: Rounds) -> Option<Ends> {
    let Rounds { buffers, tasks, reorder } = rounds;
    let bounds = Bounds::Rounds { buffers, tasks };
    let covered = Covered { bounds, reorder, limits: false, observed: true };
    let sequential = sequentialize(code.program(), covered).expect("every program has rounds");
    if count(&sequential, &|kind| matches!(kind, StmtKind::Choose(..))) > MOST_CHOICES {
        return None;
    }
    let last = ["last'x", "last'y"].map(|name| slot(&sequential, name).expect("last values are kept"));
    let unfinished = slot(&sequential, "unfinished");
    let settings = explicit::Settings { census: true, ..explicit::Settings::default() };
    let explored = explicit::explore(&Code::new(sequential), &settings, &Watched::default());
    assert!(explored.complete, "there is no limit");
    assert!(explored.census.wrong.is_empty(), "{:?}", explored.census.wrong);
    let ends = explored.census.terminated.into_iter().map(|(_, values)| values);
    let ends = ends.filter(|values| unfinished.is_none_or(|unfinished| values[unfinished] == 0));
    Some(ends.map(|values| last.map(|last| values[last]).to_vec()).collect())
}

/// Those that exploration by rounds and SAT find; none if one of them finds it too large.
fn by_finals(text: &str, rounds: Rounds) -> Option<Ends> {
    let mut ends = Ends::new();
    for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let text = format!("final !(x == {} && y == {});\n{text}", x == 1, y == 1);
        if agreed(&compile(&text), rounds, &text).ok()?.is_some() {
            ends.insert(vec![x, y]);
        }
    }
    Some(ends)
}

struct Maker {
    rng: Rng,
    levels: usize,
    tasks: usize,
    /// It may post tasks from this one on.
    first: usize,
}

impl Maker {
    fn program(&mut self, buffers: usize) -> String {
        let levels: Vec<String> = (0..self.levels).map(|level| format!("l{level}")).collect();
        let mut text = format!("levels {};\nvar x: bool;\nvar y: bool;\n", levels.join(" < "));
        for n in 0..buffers {
            text += &format!("buffer b{n} runs main{n};\n");
        }
        for n in 0..buffers {
            self.first = 0;
            let length = self.rng.within(2, 4);
            text += &format!("proc main{n}() {{\n{}}}\n", self.block(length));
        }
        for task in 0..self.tasks {
            self.first = task + 1;
            let length = self.rng.within(1, 3);
            text += &format!("proc task{task}() {{\n{}}}\n", self.block(length));
        }
        text
    }

    fn block(&mut self, length: usize) -> String {
        (0..length).map(|_| format!("    {}\n", self.statement())).collect()
    }

    fn statement(&mut self) -> String {
        let posts = usize::from(self.first < self.tasks);
        let what = self.rng.weighted(&[(8, 0), (2, 1), (4, 2), (4, 3), (8 * posts, 4), (1, 5), (1, 6)]);
        match what {
            0 => self
                .rng
                .pick(&["x := !x;", "x := y;", "y := !x;", "y := x;", "x := true;", "y := !y;"])
                .to_owned(),
            1 => self.rng.pick(&["x := *;", "y := *;"]).to_owned(),
            2 => "yield;".to_owned(),
            3 => "zield;".to_owned(),
            4 => {
                let task = self.rng.within(self.first, self.tasks - 1);
                format!("post task{task}() at l{};", self.rng.below(self.levels))
            }
            5 => self.rng.pick(&["await x;", "await y;", "assume !x;"]).to_owned(),
            _ => format!("if y {{ {} }}", self.statement()),
        }
    }
}

#[test]
fn the_sequential_program_ends_as_the_concurrent_one_does() {
    let (mut compared, mut large, mut ends, mut several) = (0, 0, 0, 0);
    for seed in 0..150 * times() {
        let mut rng = Rng::new(seed ^ 0x714f_0000_0000);
        let (levels, buffers) = (rng.within(1, 3), rng.weighted(&[(2, 1), (1, 2)]));
        let tasks = rng.within(1, 2);
        let text = Maker { rng, levels, tasks, first: 0 }.program(buffers);
        for (buffers, tasks) in ROUNDS {
            let rounds = Rounds { buffers, tasks, reorder: !seed.is_multiple_of(3) };
            let found = by_program(&compile(&text), rounds);
            let (Some(found), Some(expected)) = (found, by_finals(&text, rounds)) else {
                large += 1;
                continue;
            };
            assert_eq!(found, expected, "seed {seed}, {rounds:?} (the program, the others):\n{text}");
            compared += 1;
            ends += found.len();
            several += usize::from(found.len() > 1);
        }
    }
    println!("{compared} compared, {large} too large; {ends} ends, {several} with more than one");
    assert!(compared >= 500 && several >= 100);
}
