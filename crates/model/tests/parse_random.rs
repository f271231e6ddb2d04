//! Random tokens: nothing panics, and what can be read is the same after formatting.

use std::panic::catch_unwind;

use caissa_model::{format, load};

const INPUTS: u64 = 100_000;

/// Every token, things that are none, and whole pieces of programs.
const PIECES: &str = "assert assume at atomic await bool buffer choose const either else enum false final for havoc if implicit in int \
    interrupt levels lock or pause plain post proc raise record return runs serial skip true unlock var while yield yields zield \
    zields ( ) [ ] { } , ; : := = . .. ? || && == != < <= > >= | ^ & << >> + - * / % ! ~ 0 1 3 2147483648 0xff 9x \"text\" \
    \"open @ ä x y main f r E m a";

const LAYOUT: &[&str] = &[
    "// comment\n",
    "/* comment */",
    "/* open",
    "\n",
    "\n\n",
    "\t",
    "\r\n",
    "proc main() {",
    "proc f(p: int): int {",
];

const DECLARATIONS: &str = "implicit yields, zields; const N = 3; enum E { a, b } record R { x: int, y: [bool; 2] } var x: int; \
    var y: [0..3; 2]; plain var r: R; var m: lock; levels base < serial top; interrupt i in main runs h at top; proc h() { } \
    proc f(p: int): int { return p; } final x == 1; ";

const STATEMENTS: &[&str] = &[
    "x := 1;",
    "y[x] := y[1] + 1;",
    "r.x := r.y[0] ? 1 : 2;",
    "if x == 1 { skip; }",
    "if x == 1 { x := 2; } else { x := 3; }",
    "while * { yield; }",
    "either { pause; } or { zield; }",
    "for k in 0..N { x := k; }",
    "atomic { x := f(2); }",
    "x := f(1);",
    "f(x);",
    "post h();",
    "post h() at top;",
    "lock m;",
    "unlock m;",
    "x := choose(0, N);",
    "assert x == 1 && * || x < 2;",
    "assume *;",
    "await x == 1;",
    "raise i;",
    "return;",
    "havoc y[0];",
    "var v: E = b;",
    "// comment\n",
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

fn text_of(seed: u64, pieces: &[&str]) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    // Of every other text only a little is wrong, if anything.
    let is_program = seed.is_multiple_of(2);
    let mut text = String::new();
    if is_program {
        text.push_str(DECLARATIONS);
        text.push_str("proc main() { ");
    }
    for _ in 0..random.below(30) {
        let piece = match is_program && random.below(40) != 0 {
            true => STATEMENTS[random.below(STATEMENTS.len())],
            false => pieces[random.below(pieces.len())],
        };
        text.push_str(piece);
        if random.below(8) != 0 {
            text.push(' ');
        }
    }
    if is_program {
        text.push_str(" }");
    }
    text
}

#[test]
fn random_tokens() {
    let pieces: Vec<&str> = PIECES.split_whitespace().chain(LAYOUT.iter().copied()).collect();
    let (mut read, mut formatted) = (0, 0);
    for seed in 0..INPUTS {
        let text = text_of(seed, &pieces);
        let outcome = catch_unwind(|| try_text(&text));
        let (is_read, is_formatted) = match outcome {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(wrong)) => panic!("seed {seed}: {wrong}\n{text}"),
            Err(_) => panic!("seed {seed} panics\n{text}"),
        };
        read += u64::from(is_read);
        formatted += u64::from(is_formatted);
    }
    assert!(
        read > 0 && formatted > INPUTS / 1_000,
        "some texts are right: {read} read, {formatted} formatted"
    );
}

fn try_text(text: &str) -> Result<(bool, bool), String> {
    let program = load("test.cai", text, &[]);
    if let Err(diagnostics) = &program {
        // Rendering takes longer than all the rest.
        let shown = if text.len().is_multiple_of(64) {
            diagnostics.render(false)
        } else {
            diagnostics.list()[0].message.clone()
        };
        if shown.is_empty() {
            return Err("nothing is said".to_owned());
        }
    }
    let Ok(once) = format("test.cai", text) else { return Ok((program.is_ok(), false)) };
    match format("test.cai", &once) {
        Ok(twice) if twice == once => {}
        Ok(twice) => return Err(format!("formatting is not idempotent\n{once}\n{twice}")),
        Err(diagnostics) => return Err(format!("formatted text is wrong\n{once}\n{diagnostics}")),
    }
    let Ok(program) = program else { return Ok((false, true)) };
    match load("test.cai", &once, &[]) {
        Ok(again) if again.to_string() == program.to_string() => Ok((true, true)),
        _ => Err(format!("formatting changes the program\n{once}")),
    }
}
