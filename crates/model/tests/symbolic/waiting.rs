//! Programs from a seed in which tasks of several buffers wait for each other: for conditions and locks, first thing or later, at one or two
//! levels. Who may go on when a task has to wait depends on all the others of its buffer, which no translation sees at once.

use std::fmt::Write;

use crate::oracle::random::Rng;

struct Maker {
    rng: Rng,
    levels: usize,
    tasks: usize,
    lines: usize,
    /// It may post tasks from this one on.
    first: usize,
    posts: usize,
}

/// A program.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x3a17_0000_0000);
    let (levels, buffers) = (rng.weighted(&[(3, 1), (2, 2)]), rng.weighted(&[(4, 2), (1, 3)]));
    let (tasks, lines) = (rng.within(2, 3), rng.weighted(&[(4, 0), (1, 1)]));
    let mut text = String::new();
    let names: Vec<String> =
        (0..levels).map(|l| format!("{}l{l}", if rng.once_in(6) { "serial " } else { "" })).collect();
    let _ = writeln!(text, "levels {};", names.join(" < "));
    for n in 0..buffers {
        let _ = writeln!(text, "buffer b{n} runs main{n};");
    }
    for line in 0..lines {
        let (n, level) = (rng.below(buffers), rng.below(levels));
        let _ = writeln!(text, "interrupt i{line} in b{n} runs handler at l{level};");
    }
    text += "var x: 0..2;\nvar y: bool;\nvar k: lock;\n";
    let mut maker = Maker { rng, levels, tasks, lines, first: 0, posts: 0 };
    for n in 0..buffers {
        (maker.first, maker.posts) = (0, 3);
        let length = maker.rng.within(1, 4);
        let _ = writeln!(text, "proc main{n}() {{\n{}}}", maker.block(length, 1));
    }
    for task in 0..tasks {
        (maker.first, maker.posts) = (task + 1, 1);
        let begins = match maker.rng.below(4) {
            0 => String::new(),
            1 => format!("    yield;\n    {}\n", maker.wait()),
            _ => format!("    {}\n", maker.wait()),
        };
        let length = maker.rng.within(1, 3);
        let _ = writeln!(text, "proc task{task}() {{\n{begins}{}}}", maker.block(length, 1));
    }
    (maker.posts, maker.lines) = (0, 0);
    let _ = writeln!(text, "proc handler() {{\n{}}}", maker.block(1, 1));
    text
}

impl Maker {
    fn block(&mut self, length: usize, depth: usize) -> String {
        let mut body = String::new();
        for _ in 0..length {
            let _ = writeln!(body, "{}{}", "    ".repeat(depth), self.statement(depth));
        }
        body
    }

    fn wait(&mut self) -> String {
        let waits = ["await x == 1;", "await x == 2;", "await x != 0;", "await y;", "await !y;", "lock k;"];
        self.rng.pick(&waits).to_owned()
    }

    fn statement(&mut self, depth: usize) -> String {
        let posts = usize::from(self.posts > 0 && self.first < self.tasks);
        let lines = usize::from(self.posts > 0) * self.lines;
        let deep = usize::from(depth < 2);
        let kinds =
            [(10, 0), (3, 1), (3, 2), (3, 3), (14 * posts, 4), (3 * lines, 5), (3 * deep, 6), (4, 7), (2, 8)];
        match self.rng.weighted(&kinds) {
            0 => {
                let sets = ["x := 0;", "x := 1;", "x := 2;", "x := (x + 1) % 3;", "y := true;", "y := !y;"];
                self.rng.pick(&sets).to_owned()
            }
            1 => self.wait(),
            2 => "yield;".to_owned(),
            3 => "zield;".to_owned(),
            4 => {
                self.posts -= 1;
                let task = self.rng.within(self.first, self.tasks - 1);
                format!("post task{task}() at l{};", self.rng.below(self.levels))
            }
            5 => {
                self.posts -= 1;
                "raise i0;".to_owned()
            }
            6 => {
                let (body, close) = (self.block(1, depth + 1), "    ".repeat(depth));
                format!("lock k;\n{body}{close}unlock k;")
            }
            7 => {
                let checks = ["assert x != 1;", "assert x == 1;", "assert y;", "assert x != 2 || y;"];
                self.rng.pick(&checks).to_owned()
            }
            _ => "if y { x := 2; } else { x := 1; }".to_owned(),
        }
    }
}
