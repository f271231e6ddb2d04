//! Sequential models, each with a twin that has a bug: a part of the text that is replaced.
//!
//! Faults that the language leaves implicit do not occur in them, for the emitters leave them to others.

use caissa_model::emit::Bounds;

/// A model and its twin.
pub struct Sample {
    pub name: &'static str,
    pub text: &'static str,
    /// What is replaced, and by what, to make the bug.
    pub bug: (&'static str, &'static str),
    /// What is enough to see the bug, and everything else.
    pub bounds: Bounds,
}

impl Sample {
    /// The text with the bug.
    pub fn wrong(&self) -> String {
        assert!(self.text.contains(self.bug.0), "{}: there is no place for the bug", self.name);
        self.text.replace(self.bug.0, self.bug.1)
    }
}

const fn bounds(loops: u32, frames: u32) -> Bounds {
    Bounds { loops, frames }
}

pub const SAMPLES: [Sample; 16] = [
    Sample {
        name: "nothing",
        text: "proc main() { assert true; }",
        bug: ("true", "false"),
        bounds: bounds(1, 1),
    },
    Sample {
        name: "arrays",
        text: r#"var a: [int; 4] = [3, 1, 2, 0];
var flags: [bool; 3] = true;
proc main() {
    var i: int;
    var b: [int; 3];
    i := choose(0, 3);
    b[a[i] % 3] := a[a[i]];
    flags[i % 3] := b[0] == 3;
    assert b[a[i] % 3] == a[a[i]];
    assert b[0] == 0 || i == 3;
    assert flags[i % 3] == (i == 3) && flags[(i + 1) % 3];
}"#,
        bug: ("|| i == 3", "|| i == 2"),
        bounds: bounds(3, 1),
    },
    Sample {
        name: "long_arrays",
        text: r#"var zeros: [int; 40];
var sevens: [int; 40] = 7;
proc main() {
    var i: int = choose(0, 1) * 39;
    var local: [bool; 20] = true;
    sevens[i] := sevens[39 - i] + zeros[i];
    assert sevens[39 - i] == 7 && sevens[20] == 7 && zeros[i] == 0 && local[i & 15];
}"#,
        bug: ("zeros[i] == 0", "zeros[i] == i"),
        bounds: bounds(20, 1),
    },
    Sample {
        name: "recursion",
        text: r#"var depth: int;
proc main() {
    var n: int;
    n := choose(0, 4);
    depth := fibonacci(n);
    assert depth <= 3;
    even(n);
}
proc fibonacci(n: int): int {
    var a: int;
    var b: int;
    if n < 2 { return n; }
    n := n - 1;
    a := fibonacci(n);
    b := fibonacci(n - 1);
    return a + b;
}
proc even(n: int): bool {
    var odd: bool;
    if n == 0 { return true; }
    odd := even(n - 1);
    return !odd;
}"#,
        bug: ("depth <= 3", "depth < 3"),
        bounds: bounds(1, 5),
    },
    Sample {
        name: "loops",
        text: r#"var sum: int;
proc main() {
    var i: int;
    while i < 4 {
        i := i + 1;
        if i == 2 { sum := sum + 10; }
        for j in 1..i { sum := sum + j; }
    }
    assert sum == 30;
    while true {
        sum := sum - 1;
        if sum < 27 { return; }
        assert sum >= 27;
    }
}"#,
        bug: ("sum >= 27", "sum > 27"),
        bounds: bounds(16, 1),
    },
    Sample {
        name: "calls",
        text: r#"var spot: int;
var a: [int; 2];
var b: [bool; 2];
proc main() {
    a[spot] := next();
    assert a[1] == 1 && a[0] == 0, "the place is looked for after the call";
    b[spot] := is_one(a[spot]);
    spot := twice(3);
    spot := twice(spot);
}
proc next(): int { spot := spot + 1; return spot; }
proc is_one(n: int): bool { return n == 1; }
proc twice(n: int): int { n := n + n; return n; }
final spot == 12 && b[1];
"#,
        bug: ("spot == 12", "spot == 6"),
        bounds: bounds(1, 2),
    },
    Sample {
        name: "division",
        text: r#"proc main() {
    var a: int;
    var b: int;
    a := choose(-7, 7);
    b := choose(-3, 3);
    assume b != 0;
    assert a / b * b + a % b == a;
    assert a % b == 0 || a % b > 0 == a > 0;
    assert -7 / 2 == -3 && -7 % 2 == -1 && 7 % -2 == 1;
    a := -2147483648;
    if b == -1 { assert a / b == a && a % b == 0; }
}"#,
        bug: ("a % b == 0 ||", "a % b > 0 ||"),
        bounds: bounds(1, 1),
    },
    Sample {
        name: "shifts",
        text: r#"proc main() {
    var a: int;
    var n: int;
    a := choose(-2, 2) * 0x30000001;
    n := choose(30, 33);
    assert a << n == a << (n & 31) && a >> n == a >> (n - 32);
    assert a >> 31 == (a < 0 ? -1 : 0);
    assert 1 << 31 < 0 && (1 << 31) >> 31 == -1;
    assert (~a ^ a) == -1 && (a & a | 0) == a;
}"#,
        bug: ("? -1 : 0", "? 1 : 0"),
        bounds: bounds(1, 1),
    },
    Sample {
        name: "wrapping",
        text: r#"var most: int = 2147483647;
var least: int = -2147483648;
proc main() {
    var x: int;
    x := choose(0, 3);
    assert most + 1 == least && least - 1 == most && -least == least;
    assert most * 2 == -2 && least * x != 1;
    assert x == 0 || most + x < 0;
}"#,
        bug: ("x == 0 || most", "most"),
        bounds: bounds(1, 1),
    },
    Sample {
        name: "enums",
        text: r#"enum Light { red, green, yellow }
var light: Light = green;
var seen: [Light; 2];
proc main() {
    var old: Light;
    old := light;
    havoc light;
    seen[1] := after(light);
    assert seen[1] != light && seen[0] == red;
    light := light == red ? old : red;
    assert light != yellow;
}
proc after(light_: Light): Light {
    if light_ == red { return green; }
    return light_ == green ? yellow : red;
}"#,
        bug: ("? old : red", "? old : light"),
        bounds: bounds(1, 1),
    },
    Sample {
        name: "ranges",
        text: r#"var small: -2..2;
var others: [1..3; 2];
proc main() {
    havoc small;
    others[small & 1] := small * small % 3 + 1;
    assert others[0] + others[1] <= 3, "none is larger than 2";
}"#,
        bug: ("<= 3", "<= 2"),
        bounds: bounds(1, 1),
    },
    Sample {
        name: "choices",
        text: r#"var x: int = 2;
var a: [int; 3];
var b: [bool; 2];
proc main() {
    x := choose(x - 1, x + 1);
    a[x - 1] := choose(-x, x * 2);
    b[x & 1] := *;
    assert a[x - 1] >= -3 && a[x - 1] <= 6 && (b[0] ? x == 2 : true);
    either { x := 0; } or { x := choose(2147483645, 2147483647); } or { skip; }
    assert x >= 0;
}"#,
        bug: ("<= 6", "<= 5"),
        bounds: bounds(1, 1),
    },
    Sample {
        name: "short_circuits",
        text: r#"var a: [int; 3] = [1, 0, 2];
proc main() {
    var i: int;
    var ok: bool;
    i := choose(-1, 3);
    ok := i >= 0 && i < 3 && a[i] != 0 && 2 / a[i] == 2;
    assert ok == (i == 0);
    ok := i < 0 || i >= 3 || a[i] == 0 || 2 % a[i] == 0;
    assert ok;
    assert (i < 0 ? 0 : i >= 3 ? 1 : a[i]) <= 2;
}"#,
        bug: ("ok == (i == 0)", "ok == (i == 2)"),
        bounds: bounds(1, 1),
    },
    Sample {
        name: "truth_values",
        text: r#"var p: bool;
var q: bool = true;
var lookup: [bool; 4] = [false, true, true, false];
proc main() {
    var index: int;
    p := *;
    q := *;
    index := (p ? 1 : 0) + (q ? 2 : 0);
    assert lookup[index] == (p != q);
    assert (p == q) == !(p && !q || !p && q);
    p := (p == (index < 2)) != (q ? p : !p);
    check(p, !q);
}
proc check(int_: bool, bv32: bool) { assert int_ == int_ && (bv32 || !bv32); }
"#,
        bug: ("!(p && !q || !p && q)", "!(p && !q || p && q)"),
        bounds: bounds(1, 1),
    },
    Sample {
        name: "assumptions",
        text: r#"var x: int;
var y: int;
proc main() {
    x := choose(0, 9);
    y := choose(0, 9);
    assume x * y == 12 && x < y;
    assert x == 2 || x == 3;
    while x < y { x := x + 2; assume x != 4; }
    assert x == y + 1;
}"#,
        bug: ("x == y + 1", "x == y"),
        bounds: bounds(3, 1),
    },
    Sample {
        name: "names",
        text: r#"enum Type { type_, struct_ }
record Pair { left: int, goto: [int; 2] }
var printf: int = 1;
var exit: [Pair; 2];
var procedure: Type;
var g_x: int;
proc main() { abs(printf, 1); }
proc abs(int32_t: int, NULL: int): int {
    var while_2: int = NULL;
    var then: int;
    either { var x: int = 1; then := x; } or { var x: int = 2; then := x; }
    exit[1].goto[then - 1] := int32_t + while_2;
    assert exit[1].goto[then - 1] == 2, "a \"quoted\" ??/ text \\ of 100 %d \\";
    assert g_x == 0 && procedure == type_, "*/ // \\";
    return then;
}
"#,
        bug: ("== 2,", "!= 2,"),
        bounds: bounds(1, 1),
    },
];
