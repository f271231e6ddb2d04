//! Small programs that need not end, as text and as a naive interpreter of their own: tasks are told apart, and what happens from one
//! point to the next is one transition. It shares no code with the engines nor with `oracle`.

#![allow(dead_code, reason = "each test uses a part")]

pub mod graph;
pub mod random;
pub mod rules;

use std::fmt::{self, Display};
use std::sync::Arc;

use caissa_model::{Code, load};

/// How many times as many programs as usual.
pub fn times() -> u64 {
    std::env::var("CAISSA_AGREE").map_or(1, |times| times.parse().expect("CAISSA_AGREE is a number"))
}

/// The engines' form of a program.
pub fn compile(text: &str) -> Arc<Code> {
    let program =
        load("small.cai", text, &[]).unwrap_or_else(|errors| panic!("{text}\n{}", errors.render(false)));
    Arc::new(Code::new(program))
}

/// Variables have the values 0 to 2.
pub const VALUES: u8 = 3;

#[derive(Clone, Debug)]
pub enum Stmt {
    Set(usize, u8),
    Inc(usize),
    Havoc(usize),
    /// The variable does not have the value.
    Assert(usize, u8),
    /// Reads or writes data.
    Read(usize),
    Write(usize),
    If(usize, u8, Vec<Stmt>),
    /// While the variable does not have the value; or for ever.
    While(Option<(usize, u8)>, Vec<Stmt>),
    Await(usize, u8),
    Lock(usize),
    Unlock(usize),
    Yield,
    Zield,
    Pause,
    Post(usize, Option<usize>),
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub globals: usize,
    pub locks: usize,
    pub data: usize,
    /// Which levels are serial, the lowest first.
    pub levels: Vec<bool>,
    /// The first so many procedures are the mains of as many buffers.
    pub buffers: usize,
    pub procs: Vec<Vec<Stmt>>,
    /// Declarations are written in the opposite order.
    pub backwards: bool,
}

/// The numbers below `count`, in the order of the text.
fn order(count: usize, backwards: bool) -> Box<dyn Iterator<Item = usize>> {
    if backwards { Box::new((0..count).rev()) } else { Box::new(0..count) }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels = self.levels.iter().enumerate();
        let levels: Vec<String> =
            levels.map(|(i, &serial)| format!("{}l{i}", if serial { "serial " } else { "" })).collect();
        writeln!(f, "levels {};", levels.join(" < "))?;
        (0..self.buffers).try_for_each(|i| writeln!(f, "buffer b{i} runs p{i};"))?;
        order(self.globals, self.backwards).try_for_each(|i| writeln!(f, "var g{i}: 0..{};", VALUES - 1))?;
        (0..self.locks).try_for_each(|i| writeln!(f, "var m{i}: lock;"))?;
        (0..self.data).try_for_each(|i| writeln!(f, "plain var d{i}: int;"))?;
        for i in order(self.procs.len(), self.backwards) {
            let body = &self.procs[i];
            writeln!(f, "proc p{i}() {{")?;
            if uses_data(body) {
                writeln!(f, "    var v: int;")?;
            }
            write_block(f, body, 1)?;
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

fn uses_data(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Read(_) => true,
        Stmt::If(_, _, body) | Stmt::While(_, body) => uses_data(body),
        _ => false,
    })
}

fn write_block(f: &mut fmt::Formatter<'_>, body: &[Stmt], depth: usize) -> fmt::Result {
    for stmt in body {
        write!(f, "{}", "    ".repeat(depth))?;
        match stmt {
            Stmt::Set(g, value) => writeln!(f, "g{g} := {value};")?,
            Stmt::Inc(g) => writeln!(f, "g{g} := (g{g} + 1) % {VALUES};")?,
            Stmt::Havoc(g) => writeln!(f, "havoc g{g};")?,
            Stmt::Assert(g, value) => writeln!(f, "assert g{g} != {value};")?,
            Stmt::Read(d) => writeln!(f, "v := d{d};")?,
            Stmt::Write(d) => writeln!(f, "d{d} := 1;")?,
            Stmt::Await(g, value) => writeln!(f, "await g{g} == {value};")?,
            Stmt::Lock(m) => writeln!(f, "lock m{m};")?,
            Stmt::Unlock(m) => writeln!(f, "unlock m{m};")?,
            Stmt::Yield => writeln!(f, "yield;")?,
            Stmt::Zield => writeln!(f, "zield;")?,
            Stmt::Pause => writeln!(f, "pause;")?,
            Stmt::Post(proc, None) => writeln!(f, "post p{proc}();")?,
            Stmt::Post(proc, Some(level)) => writeln!(f, "post p{proc}() at l{level};")?,
            Stmt::If(g, value, body) => {
                writeln!(f, "if g{g} == {value} {{")?;
                write_block(f, body, depth + 1)?;
                writeln!(f, "{}}}", "    ".repeat(depth))?;
            }
            Stmt::While(condition, body) => {
                match condition {
                    Some((g, value)) => writeln!(f, "while g{g} != {value} {{")?,
                    None => writeln!(f, "while true {{")?,
                }
                write_block(f, body, depth + 1)?;
                writeln!(f, "{}}}", "    ".repeat(depth))?;
            }
        }
    }
    Ok(())
}
