//! Random sequential programs that end, in which nothing but assertions can fail. All names end with the seed, so that many programs can stand
//! in one C text.

use std::fmt::Write as _;

use caissa_model::emit::Bounds;

/// What is enough for all of them.
pub const BOUNDS: Bounds = Bounds { loops: 4, frames: 3 };

/// The program of a seed.
pub fn text(seed: u64) -> String {
    let mut program = Generator {
        state: seed,
        seed,
        text: String::new(),
        depth: 1,
        choices: 3,
        calls: 0,
        proc: 0,
        loops: 0,
    };
    program.declarations();
    for proc in 0..PROCS {
        program.proc(proc);
    }
    program.text
}

/// Procedures call only those behind them, and the last one itself.
const PROCS: u64 = 3;

struct Generator {
    state: u64,
    seed: u64,
    text: String,
    depth: usize,
    /// How many more choices there may be.
    choices: u32,
    /// How many more calls there may be in the procedure being made: each of them goes through the choices again.
    calls: u32,
    /// The procedure being made.
    proc: u64,
    /// Loops around the statement being made.
    loops: usize,
}

impl Generator {
    /// A number below another (splitmix64).
    fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{:1$}{line}", "", 4 * self.depth).expect("strings take everything");
    }

    fn declarations(&mut self) {
        let seed = self.seed;
        let [x, first, last] = [(); 3].map(|()| self.constant());
        let b = self.below(2) == 0;
        write!(
            self.text,
            "buffer only runs p0_{seed};
enum E_{seed} {{ A_{seed}, B_{seed}, C_{seed} }}
var x_{seed}: int = {x};
var y_{seed}: int;
var b_{seed}: bool = {b};
var r_{seed}: 0..3;
var e_{seed}: E_{seed} = B_{seed};
var a_{seed}: [int; 4] = [{first}, 0, 1, {last}];
var f_{seed}: [bool; 2];
"
        )
        .expect("strings take everything");
    }

    fn proc(&mut self, proc: u64) {
        let seed = self.seed;
        self.proc = proc;
        self.calls = 2;
        let params = if proc == 0 { "" } else { "n: int, c: bool" };
        let result = ["", ": int", ": int"][proc as usize];
        writeln!(self.text, "proc p{proc}_{seed}({params}){result} {{").expect("strings take everything");
        self.line("var i: int;");
        self.line("var l: [int; 2] = [1, 2];");
        self.line("var d: bool;");
        if proc == PROCS - 1 {
            // It calls itself while its parameter is between 1 and 2.
            self.line("n := n & 3;");
            self.line(&format!("if n > 0 && n < 3 {{ i := p{proc}_{seed}(n - 1, !c); }}"));
        }
        self.block(5 + self.seed % 4);
        if proc > 0 {
            let value = self.number(2);
            self.line(&format!("return {value};"));
        }
        self.text.push_str("}\n");
    }

    fn block(&mut self, len: u64) {
        for _ in 0..len {
            self.statement();
        }
    }

    fn nested(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        let len = 1 + self.below(2);
        self.block(len);
        self.depth -= 1;
        self.line("}");
    }

    fn statement(&mut self) {
        let seed = self.seed;
        match self.below(16) {
            0..=3 => {
                let (place, value) = (self.number_place(), self.number(3));
                self.line(&format!("{place} := {value};"));
            }
            4 => {
                let (place, value) = (self.truth_place(), self.truth(3));
                self.line(&format!("{place} := {value};"));
            }
            5 => {
                let value = self.number(2);
                self.line(&format!("r_{seed} := {value} & 3;"));
            }
            6 => {
                let (condition, value) = (self.truth(2), self.member());
                self.line(&format!("e_{seed} := {condition} ? {value} : e_{seed};"));
            }
            7..=9 if self.choices > 0 && self.loops == 0 && self.proc < PROCS - 1 => self.choice(),
            10 if self.depth < 3 => {
                let condition = self.truth(2);
                self.nested(&format!("if {condition}"));
                if self.below(2) == 0 {
                    // The brace before it is on a line of its own.
                    self.nested("else");
                }
            }
            11 if self.loops == 0 && self.proc < 2 => {
                self.loops += 1;
                let from = self.below(3);
                let name = format!("k{}", self.text.len());
                self.nested(&format!("for {name} in {from}..2"));
                self.loops -= 1;
            }
            12 if self.proc < PROCS - 1 && self.loops == 0 && self.calls > 0 => {
                self.calls -= 1;
                let (place, value, truth) = (self.number_place(), self.number(2), self.truth(2));
                let callee = self.proc + 1;
                self.line(&format!("{place} := p{callee}_{seed}({value}, {truth});"));
            }
            13 if self.below(2) == 0 => {
                let condition = self.truth(2);
                self.line(&format!("assert {condition}, \"number {}\";", self.text.len()));
            }
            14 if self.below(4) == 0 => {
                let condition = self.truth(2);
                self.line(&format!("assume {condition};"));
            }
            _ => {
                let value = self.number(2);
                self.line(&format!("i := {value};"));
            }
        }
    }

    fn choice(&mut self) {
        self.choices -= 1;
        let seed = self.seed;
        match self.below(4) {
            0 => {
                let place = self.truth_place();
                self.line(&format!("{place} := *;"));
            }
            1 => self.line(&format!("havoc e_{seed};")),
            2 => {
                let (place, lo) = (self.number_place(), self.number(1));
                self.line(&format!("i := {lo} & 0xffff;"));
                self.line(&format!("{place} := choose(i, i + 2);"));
            }
            _ => {
                let place = self.number_place();
                self.line(&format!("{place} := choose(-1, r_{seed} & 1);"));
            }
        }
    }

    fn number_place(&mut self) -> String {
        let seed = self.seed;
        match self.below(6) {
            0 | 1 => format!("x_{seed}"),
            2 => format!("y_{seed}"),
            3 => format!("a_{seed}[{} & 3]", self.number(1)),
            4 => format!("l[{} & 1]", self.number(1)),
            _ if self.proc > 0 => "n".to_owned(),
            _ => "i".to_owned(),
        }
    }

    fn truth_place(&mut self) -> String {
        let seed = self.seed;
        match self.below(4) {
            0 => format!("b_{seed}"),
            1 => format!("f_{seed}[{} & 1]", self.number(1)),
            _ if self.proc > 0 => "c".to_owned(),
            _ => "d".to_owned(),
        }
    }

    fn member(&mut self) -> String {
        format!("{}_{}", ["A", "B", "C"][self.below(3) as usize], self.seed)
    }

    fn constant(&mut self) -> String {
        let all = ["0", "1", "-1", "2", "3", "7", "31", "-100", "2147483647", "-2147483648", "0x80000001"];
        all[self.below(all.len() as u64) as usize].to_owned()
    }

    /// An integer; what needs no parentheses as an operand has none.
    fn number(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(4) == 0 {
            return match self.below(4) {
                0 => self.constant(),
                1 => format!("r_{}", self.seed),
                _ => self.number_place_read(),
            };
        }
        let (left, right) = (self.number(depth - 1), self.number(depth - 1));
        match self.below(14) {
            0..=7 => {
                let sign = ["+", "-", "*", "&", "|", "^", "<<", ">>"][self.below(8) as usize];
                format!("({left} {sign} {right})")
            }
            8 => format!("({left} / ({right} | 1))"),
            9 => format!("({left} % ({right} | 1))"),
            10 => format!("(-{left})"),
            11 => format!("(~{left})"),
            _ => format!("({} ? {left} : {right})", self.truth(depth - 1)),
        }
    }

    fn number_place_read(&mut self) -> String {
        let seed = self.seed;
        match self.below(5) {
            0 => format!("x_{seed}"),
            1 => format!("y_{seed}"),
            2 => format!("a_{seed}[r_{seed}]"),
            3 => "l[1]".to_owned(),
            _ => "i".to_owned(),
        }
    }

    fn truth(&mut self, depth: u32) -> String {
        let seed = self.seed;
        if depth == 0 || self.below(5) == 0 {
            return match self.below(5) {
                0 => ["true", "false"][self.below(2) as usize].to_owned(),
                1 => format!("b_{seed}"),
                2 => format!("f_{seed}[r_{seed} & 1]"),
                _ => "d".to_owned(),
            };
        }
        match self.below(8) {
            0 => format!("(!{})", self.truth(depth - 1)),
            1 | 2 => {
                let sign = ["&&", "||", "==", "!="][self.below(4) as usize];
                format!("({} {sign} {})", self.truth(depth - 1), self.truth(depth - 1))
            }
            // The second is not looked at where it would be wrong.
            3 => {
                let (index, value) = (self.number(depth - 1), self.number(depth - 1));
                format!("({index} >= 0 && {index} < 4 && a_{seed}[{index}] != {value})")
            }
            4 => format!("(e_{seed} == {})", self.member()),
            _ => {
                let sign = ["==", "!=", "<", "<=", ">", ">="][self.below(6) as usize];
                format!("({} {sign} {})", self.number(depth - 1), self.number(depth - 1))
            }
        }
    }
}
