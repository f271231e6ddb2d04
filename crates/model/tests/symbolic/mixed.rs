//! Programs from a seed with what the other generators leave out, or have too seldom together: mains that are posted again, waits behind
//! interruptions, in procedures that are called and at the heads of branches, serial levels among others, handlers that raise other lines and post
//! tasks, atomic blocks that raise and post, several locks, loops, returns on the way, up to four rounds of each kind.
//!
//! Whatever happens makes a number of the one before, so that the number tells in which order things happened; the assertion that one number does
//! not come up makes the engines agree on that. What a task posts or raises comes later in an order, and a main is posted once more at most, so that all of them end.

use std::fmt::Write;

use caissa_model::Code;
use caissa_model::explicit::{Rounds, Settings, Watched, Wrong, explore};

use crate::oracle::random::Rng;
use crate::small::{compile, times};
use crate::symbolic::engines::{agreed, by_states};

/// The task that posts and raises nothing, so that handlers may post it.
const LEAF: usize = 2;

/// Kinds of statements.
const KINDS: usize = 20;

/// What the statement that is made may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Main,
    Task(usize),
    Handler(usize),
    /// A procedure without a result, which is called from everywhere but from functions.
    Part,
    Function,
}

struct Maker {
    rng: Rng,
    levels: usize,
    buffers: usize,
    lines: usize,
    within: Within,
    atomic: bool,
    /// Posts and raised lines that are left.
    posts: usize,
    /// The kinds of statements that the program has: a few of them together show more than all at once.
    kinds: [bool; KINDS],
    /// The numbers of what happens that are taken.
    events: usize,
}

/// A program.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x31ed_0000_0000);
    let levels = rng.weighted(&[(1, 1), (4, 2), (3, 3)]);
    let buffers = rng.weighted(&[(6, 1), (9, 2), (1, 3)]);
    let lines = rng.weighted(&[(3, 0), (2, 1), (2, 2)]);
    let mut kinds = [true; KINDS];
    for kind in &mut kinds[2..] {
        *kind = rng.once_in(2);
    }
    (kinds[7], kinds[8]) = (true, true);
    let maker = Maker {
        rng,
        levels,
        buffers,
        lines,
        within: Within::Main,
        atomic: false,
        posts: 0,
        kinds,
        events: 0,
    };
    maker.program()
}

impl Maker {
    fn program(mut self) -> String {
        let mut text = String::new();
        let levels: Vec<String> = (0..self.levels)
            .map(|level| format!("{}l{level}", if self.rng.once_in(3) { "serial " } else { "" }))
            .collect();
        let _ = writeln!(text, "levels {};", levels.join(" < "));
        for n in 0..self.buffers {
            let _ = writeln!(text, "buffer b{n} runs main{n};");
        }
        for line in 0..self.lines {
            let (n, level) = (self.rng.below(self.buffers), self.rng.below(self.levels));
            let _ = writeln!(text, "interrupt i{line} in b{n} runs handler{line} at l{level};");
        }
        match self.rng.below(12) {
            0 => text += "implicit yields;\n",
            1 if self.buffers > 1 => text += "implicit zields;\n",
            _ => {}
        }
        text += "enum Way { up, down, off }\nrecord Pair { way: Way, n: 0..2 }\n";
        text += "const EXCLUDED = 0;\nvar happened: 0..12;\nvar x: 0..2;\nvar y: bool;\nvar pairs: [Pair; 2];\nvar k: [lock; 2];\nvar again: bool;\n";
        for n in 0..self.buffers {
            let (length, posts) = (self.rng.within(1, 4), if self.buffers < 3 { 3 } else { 2 });
            self.procedure(&mut text, Within::Main, &format!("main{n}()"), length, posts);
        }
        for task in 0..=LEAF {
            let (length, posts) = (self.rng.within(1, 3), usize::from(task < LEAF));
            let head = format!("task{task}(p: 0..2, q: Way)");
            self.procedure(&mut text, Within::Task(task), &head, length, posts);
        }
        for line in 0..self.lines {
            let (length, posts) = (self.rng.within(1, 2), self.rng.below(2));
            let head = format!("handler{line}()");
            self.procedure(&mut text, Within::Handler(line), &head, length, posts);
        }
        let length = self.rng.within(1, 2);
        self.procedure(&mut text, Within::Part, "part()", length, 0);
        self.within = Within::Function;
        let body = self.block(2, 1);
        let _ = writeln!(text, "proc f(p: 0..2, q: Way): 0..2 {{\n{body}    return (x + p) % 3;\n}}");
        text
    }

    fn procedure(&mut self, text: &mut String, within: Within, head: &str, length: usize, posts: usize) {
        (self.within, self.posts) = (within, posts);
        let body = self.block(length, 1);
        let _ = writeln!(text, "proc {head} {{\n{body}}}");
    }

    fn block(&mut self, length: usize, depth: usize) -> String {
        let mut body = String::new();
        for _ in 0..length {
            let statement = self.statement(depth);
            let is_event = statement.starts_with("happened");
            let _ = writeln!(body, "{}{statement}", "    ".repeat(depth));
            if !is_event && self.rng.once_in(2) {
                let _ = writeln!(body, "{}{}", "    ".repeat(depth), self.event());
            }
        }
        body
    }

    fn has_param(&self) -> bool {
        matches!(self.within, Within::Task(_) | Within::Function)
    }

    /// A number from 0 to 2.
    fn number(&mut self) -> String {
        match self.rng.below(if self.has_param() { 7 } else { 6 }) {
            0 | 1 => format!("{}", self.rng.below(3)),
            2 => "x".to_owned(),
            3 => "(x + 1) % 3".to_owned(),
            4 => format!("pairs[{}].n", self.rng.below(2)),
            5 => "(y ? 2 : x)".to_owned(),
            _ => "p".to_owned(),
        }
    }

    fn way(&mut self) -> String {
        let ways = ["up", "down", "off", "pairs[0].way", "q"];
        ways[self.rng.below(if self.has_param() { 5 } else { 4 })].to_owned()
    }

    fn condition(&mut self) -> String {
        match self.rng.below(8) {
            0 => "y".to_owned(),
            1 => "!y".to_owned(),
            2 => format!("pairs[0].way == {}", self.way()),
            3 => format!("x != {}", self.number()),
            4 => format!("y && x < {}", self.number()),
            _ => format!("x == {}", self.rng.below(3)),
        }
    }

    fn wait(&mut self) -> String {
        let waits = [
            "await y;",
            "await y;",
            "await !y;",
            "await x == 1;",
            "await x != 0;",
            "lock k[0];",
            "lock k[x % 2];",
        ];
        self.rng.pick(&waits).to_owned()
    }

    fn post(&mut self) -> String {
        let from = match self.within {
            Within::Task(task) => task + 1,
            Within::Handler(_) => LEAF,
            _ => 0,
        };
        let at = match self.rng.once_in(4) {
            true => String::new(),
            false => format!(" at l{}", self.rng.below(self.levels)),
        };
        self.posts -= 1;
        if self.rng.once_in(6) {
            let main = self.rng.below(self.buffers);
            return format!("if !again {{ again := true; post main{main}(){at}; }}");
        }
        let task = self.rng.within(from, LEAF);
        format!("post task{task}({}, {}){at};", self.number(), self.way())
    }

    /// Something happens: what has happened so far, and in which order, is a number, and one number must not come up.
    fn event(&mut self) -> String {
        self.events += 1;
        let number = self.events;
        format!("happened := (2 * happened + {number}) % 13; assert happened != EXCLUDED;")
    }

    /// A line that it may raise, from this one on.
    fn raises_from(&self) -> usize {
        match self.within {
            Within::Main | Within::Task(..LEAF) => 0,
            Within::Handler(line) => line + 1,
            _ => self.lines,
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        let points = usize::from(!self.atomic);
        let deep = usize::from(depth < 3);
        let posts = usize::from(self.posts > 0);
        let lines = usize::from(self.posts > 0 && self.raises_from() < self.lines);
        let calls = points * usize::from(!matches!(self.within, Within::Function | Within::Part));
        let close = "    ".repeat(depth);
        let mut weights = [
            (4, 0),
            (4, 1),
            (2, 2),
            (6, 3),
            (5 * points, 4),
            (5 * points * (self.buffers - 1).min(1), 5),
            (points, 6),
            (14 * posts, 7),
            (14 * lines, 8),
            (2 * calls, 9),
            (3 * calls, 10),
            (3 * deep, 11),
            (deep, 12),
            (3 * deep * points, 13),
            (2 * deep, 14),
            (2, 15),
            (1, 16),
            (1, 17),
            (deep, 18),
            (1, 19),
        ];
        for (weight, kind) in &mut weights {
            *weight *= usize::from(self.kinds[*kind]);
        }
        match self.rng.weighted(&weights) {
            0 => self.event(),
            15 => format!("x := {};", self.number()),
            1 => self.rng.pick(&["y := true;", "y := !y;", "x := 1;", "x := (x + 1) % 3;"]).to_owned(),
            2 => match self.rng.once_in(2) {
                true => format!("pairs[{}].n := {};", self.rng.below(2), self.number()),
                false => format!("pairs[0].way := {};", self.way()),
            },
            3 => self.wait(),
            4 => "yield;".to_owned(),
            5 => "zield;".to_owned(),
            6 => "pause;".to_owned(),
            7 if self.rng.once_in(4) => format!("{}\n{close}{}", self.post(), self.wait()),
            7 => self.post(),
            8 => {
                self.posts -= 1;
                let from = self.raises_from();
                let raise = format!("raise i{};", self.rng.within(from, self.lines - 1));
                // An interruption before it has looked.
                match self.atomic && self.posts > 0 && self.rng.once_in(2) {
                    true => format!("{raise}\n{close}{}", self.post()),
                    false => raise,
                }
            }
            9 => format!("x := f({}, {});", self.number(), self.way()),
            10 => "part();".to_owned(),
            11 => {
                let (condition, yes) = (self.condition(), self.block(1, depth + 1));
                let no = self.block(1, depth + 1);
                format!("if {condition} {{\n{yes}{close}}} else {{\n{no}{close}}}")
            }
            12 => {
                let (one, other) = (self.block(1, depth + 1), self.block(1, depth + 1));
                format!("either {{\n{one}{close}}} or {{\n{other}{close}}}")
            }
            13 => {
                self.atomic = true;
                let body = self.block(2, depth + 1);
                self.atomic = false;
                format!("atomic {{\n{body}{close}}}")
            }
            14 => {
                let (lock, body) = (self.rng.below(2), self.block(1, depth + 1));
                format!("lock k[{lock}];\n{body}{close}unlock k[{lock}];")
            }
            16 => format!("x := choose(0, {});", self.number()),
            17 => format!("assume {};", self.condition()),
            18 => {
                let body = self.block(1, depth + 1);
                format!("for c{depth} in 0..1 {{\n{body}{close}}}")
            }
            _ if self.within == Within::Function => format!("if y {{ return {}; }}", self.number()),
            _ => format!("if {} {{ return; }}", self.condition()),
        }
    }
}

pub const ROUNDS: [(u32, u32); 7] = [(1, 1), (2, 2), (1, 3), (3, 1), (3, 2), (2, 4), (4, 2)];

#[test]
fn mixed_programs_go_wrong_within_the_same_rounds() {
    let (mut wrong, mut right, mut unsaid) = (0, 0, 0);
    for seed in 0..80 * times() {
        let excluded = format!("EXCLUDED = {}", seed * 7 % 13);
        // Each with two numbers.
        let text = program(seed / 2).replace("EXCLUDED = 0", &excluded);
        let (code, shown) = (compile(&text), format!("seed {seed}:\n{text}"));
        for (buffers, tasks) in ROUNDS {
            let rounds = Rounds { buffers, tasks, reorder: !seed.is_multiple_of(3) };
            match agreed(&code, rounds, &shown) {
                Ok(Some(_)) => wrong += 1,
                Ok(None) => right += 1,
                Err(_) => unsaid += 1,
            }
        }
    }
    println!("{wrong} wrong, {right} right, {unsaid} unsaid");
    assert!(wrong > 100 && right > 100 && unsaid * 4 < wrong + right);
}

/// What the explicit engine says without bounds, if there are not too many states.
fn goes_wrong(code: &Code) -> Option<bool> {
    let settings = Settings { census: true, max_states: 3_000, ..Settings::default() };
    let explored = explore(code, &settings, &Watched::default());
    let is_fault = |(_, wrong): &(u32, Wrong)| matches!(wrong, Wrong::Fault(_));
    explored.complete.then(|| explored.census.wrong.iter().any(is_fault))
}

/// In the limit rounds cover all executions, but for one kind: a task that was interrupted right before a wait keeps its place there, even if a task of a higher
/// level waits meanwhile; by the rules it gives it up if it would have to wait at that time.
#[test]
fn with_many_rounds_everything_is_found() {
    let (mut wrong, mut right) = (0, 0);
    for seed in 0..400 * times() {
        let text = program(seed).replace("EXCLUDED = 0", &format!("EXCLUDED = {}", seed * 5 % 13));
        let waits_below = ["await", "lock k"].iter().any(|wait| text.contains(wait)) && text.contains("l1");
        if waits_below && text.contains("buffer b1") {
            continue;
        }
        let code = compile(&text);
        let Some(expected) = goes_wrong(&code) else { continue };
        let rounds = Rounds { buffers: 8, tasks: 8, reorder: true };
        let Ok(said) = by_states(&code, rounds) else { continue };
        assert_eq!(said.is_some(), expected, "seed {seed}:\n{text}");
        *(if expected { &mut wrong } else { &mut right }) += 1;
    }
    println!("{wrong} wrong, {right} right");
    assert!(wrong > 50 && right > 20);
}
