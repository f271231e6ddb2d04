//! Programs from a seed that lean on what translations are most likely to get wrong: posts with arguments to every level, from every level,
//! tasks that post themselves again, interrupt lines, calls and recursion with points on the way, records and enums.
//!
//! They are small where the others of `oracle/random.rs` are varied: variables have two or three values, and most are written so that
//! their last values tell the order in which things happened.

use std::fmt::Write;

use crate::oracle::random::Rng;

struct Maker {
    rng: Rng,
    levels: usize,
    buffers: usize,
    tasks: usize,
    lines: usize,
    /// The task that is being made; mains, handlers and functions come before all tasks.
    first: usize,
    /// It has the parameter `p`.
    has_param: bool,
    /// It is the function: it has a result, and nothing is called from it.
    is_function: bool,
    atomic: bool,
    /// Posts and raised lines that are left.
    posts: usize,
    /// What may fail now and then does.
    faults: bool,
}

/// A program.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0xc4af_7ed0_0000_0000);
    let levels = rng.weighted(&[(2, 1), (4, 2), (4, 3)]);
    let buffers = rng.weighted(&[(4, 1), (4, 2), (1, 3)]);
    let (tasks, lines) = (rng.within(1, 3), rng.weighted(&[(4, 0), (4, 1), (2, 2)]));
    let faults = rng.once_in(3);
    let maker = Maker {
        rng,
        levels,
        buffers,
        tasks,
        lines,
        first: 0,
        has_param: false,
        is_function: false,
        atomic: false,
        posts: 0,
        faults,
    };
    maker.program()
}

impl Maker {
    fn program(mut self) -> String {
        let mut text = String::new();
        let levels: Vec<String> = (0..self.levels)
            .map(|level| format!("{}l{level}", if self.rng.once_in(5) { "serial " } else { "" }))
            .collect();
        let _ = writeln!(text, "levels {};", levels.join(" < "));
        for n in 0..self.buffers {
            let _ = writeln!(text, "buffer b{n} runs main{n};");
        }
        for line in 0..self.lines {
            let level = if self.rng.once_in(3) { self.rng.below(self.levels) } else { self.levels - 1 };
            let _ = writeln!(
                text,
                "interrupt i{line} in b{} runs handler{line} at l{level};",
                self.rng.below(self.buffers)
            );
        }
        text += "enum Mode { idle, busy }\nrecord Cell { mode: Mode, n: 0..2 }\n";
        text += "var x: 0..2;\nvar y: bool;\nvar cells: [Cell; 2];\nvar k: lock;\n";
        for n in 0..self.buffers {
            self.posts = if self.buffers == 1 { 3 } else { 2 };
            self.procedure(&mut text, &format!("main{n}()"), 5);
        }
        let lines = self.lines;
        // Either handlers post tasks, or tasks raise lines; with both there would be no end.
        let handlers_post = self.rng.once_in(3);
        self.lines = 0;
        for line in 0..lines {
            self.posts = usize::from(handlers_post);
            self.procedure(&mut text, &format!("handler{line}()"), 2);
        }
        self.lines = if handlers_post { 0 } else { lines };
        for task in 0..self.tasks {
            self.posts = 1;
            (self.first, self.has_param) = (task + 1, true);
            let again = if self.rng.once_in(4) {
                format!("    if p > 0 {{ post task{task}(p - 1, q){}; }}\n", self.at_level())
            } else {
                String::new()
            };
            let length = self.rng.within(2, 4);
            let body = self.block(length, 1);
            let (before, after) = if self.rng.once_in(2) { (&*again, "") } else { ("", &*again) };
            let _ = writeln!(text, "proc task{task}(p: 0..2, q: Mode) {{\n{before}{body}{after}}}");
        }
        (self.is_function, self.posts) = (true, 0);
        let deeper = if self.rng.once_in(2) {
            "    if p > 0 {\n        var r: 0..2;\n        r := f(p - 1, q);\n        return (r + x) % 3;\n    }\n"
        } else {
            ""
        };
        let body = self.block(2, 1);
        let _ = writeln!(text, "proc f(p: 0..2, q: Mode): 0..2 {{\n{body}{deeper}    return x;\n}}");
        text
    }

    fn procedure(&mut self, text: &mut String, head: &str, length: usize) {
        let length = self.rng.within(2, length);
        let body = self.block(length, 1);
        let _ = writeln!(text, "proc {head} {{\n{body}}}");
    }

    fn block(&mut self, length: usize, depth: usize) -> String {
        let mut body = String::new();
        for _ in 0..length {
            let _ = writeln!(body, "{}{}", "    ".repeat(depth), self.statement(depth));
        }
        body
    }

    fn at_level(&mut self) -> String {
        if self.rng.once_in(4) { String::new() } else { format!(" at l{}", self.rng.below(self.levels)) }
    }

    /// A number from 0 to 2.
    fn number(&mut self) -> String {
        match self.rng.below(if self.has_param { 7 } else { 5 }) {
            0 => format!("{}", self.rng.below(3)),
            1 => "x".to_owned(),
            2 => format!("cells[{}].n", self.rng.below(2)),
            3 => "(x + 1) % 3".to_owned(),
            4 => format!("(2 * x + {}) % 3", self.rng.below(3)),
            _ => "p".to_owned(),
        }
    }

    fn mode(&mut self) -> String {
        let modes = ["idle", "busy", "cells[0].mode", "cells[1].mode", "q"];
        modes[self.rng.below(if self.has_param { 5 } else { 4 })].to_owned()
    }

    fn condition(&mut self) -> String {
        match self.rng.below(6) {
            0 => "y".to_owned(),
            1 => "!y".to_owned(),
            2 => format!("cells[{}].mode == {}", self.rng.below(2), self.mode()),
            3 => format!("x != {}", self.number()),
            _ => format!("x == {}", self.rng.below(3)),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        let points = if self.atomic { 0 } else { 1 };
        let deep = usize::from(depth < 3);
        let posts = usize::from(self.posts > 0);
        let lines = usize::from(self.posts > 0 && self.lines > 0);
        let calls = usize::from(!self.is_function && !self.atomic);
        let locks = usize::from(!self.is_function);
        let faults = usize::from(self.faults);
        match self.rng.weighted(&[
            (14, 0),
            (3, 1),
            (4, 2),
            (4, 3),
            (8 * points, 4),
            (8 * points * (self.buffers - 1).min(1), 5),
            (2 * points, 6),
            (16 * posts, 7),
            (14 * lines, 8),
            (3 * calls, 9),
            (3 * deep, 10),
            (2 * deep, 11),
            (2 * deep * points, 12),
            (2 * deep * locks, 13),
            (3 * locks, 14),
            (3, 15),
            (faults, 16),
            (faults, 17),
            (faults, 18),
            (faults, 19),
            (2 * faults, 20),
            (1, 21),
            (deep, 22),
        ]) {
            0 => format!("x := {};", self.number()),
            1 => format!("y := {};", self.condition()),
            2 => format!("cells[{}].n := {};", self.rng.below(2), self.number()),
            3 => format!("cells[{}].mode := {};", self.rng.below(2), self.mode()),
            4 => "yield;".to_owned(),
            5 => "zield;".to_owned(),
            6 => "pause;".to_owned(),
            7 if self.first < self.tasks => {
                self.posts -= 1;
                let task = self.rng.within(self.first, self.tasks - 1);
                format!("post task{task}({}, {}){};", self.number(), self.mode(), self.at_level())
            }
            8 => {
                self.posts -= 1;
                format!("raise i{};", self.rng.below(self.lines))
            }
            9 => format!("x := f({}, {});", self.number(), self.mode()),
            10 => {
                let (condition, yes) = (self.condition(), self.block(1, depth + 1));
                let no = self.block(1, depth + 1);
                let close = "    ".repeat(depth);
                format!("if {condition} {{\n{yes}{close}}} else {{\n{no}{close}}}")
            }
            11 => {
                let (one, other) = (self.block(1, depth + 1), self.block(1, depth + 1));
                let close = "    ".repeat(depth);
                format!("either {{\n{one}{close}}} or {{\n{other}{close}}}")
            }
            12 => {
                self.atomic = true;
                let body = self.block(2, depth + 1);
                self.atomic = false;
                format!("atomic {{\n{body}{}}}", "    ".repeat(depth))
            }
            13 => {
                let body = self.block(2, depth + 1);
                let close = "    ".repeat(depth);
                format!("lock k;\n{body}{close}unlock k;")
            }
            14 => format!("await {};", self.condition()),
            15 => format!("x := choose(0, {});", self.number()),
            16 => format!("x := {} + 1;", self.number()),
            17 => format!("cells[{}].n := 1;", self.number()),
            18 => format!("x := 2 / {};", self.number()),
            19 => format!("x := choose({}, {});", self.number(), self.number()),
            20 => format!("assert {};", self.condition()),
            21 => format!("assume {};", self.condition()),
            22 => {
                let body = self.block(1, depth + 1);
                let close = "    ".repeat(depth);
                format!("for c{depth} in 0..1 {{\n{body}{close}}}")
            }
            _ => "skip;".to_owned(),
        }
    }
}
