//! From text to the intermediate representation: declarations and expressions.

use crate::lowered::check;

#[test]
fn a_model_without_declarations_of_its_surroundings() {
    check(
        "proc main() { }",
        r"

proc main() {
}
",
    );
}

#[test]
fn levels_buffers_and_lines() {
    check(
        r"levels low < serial high;
buffer cpu runs boot;
buffer device runs hardware;
interrupt irq in cpu runs handler at high;
proc boot() { }
proc hardware() { raise irq; }
proc handler() { }",
        r"
levels low < serial high;
buffer cpu runs boot;
buffer device runs hardware;
interrupt irq in cpu runs handler at high;

proc boot() {
}

proc hardware() {
    poll;
    raise irq;
}

proc handler() {
}
",
    );
    check(
        r"interrupt irq in main runs main at base;
proc main() { }",
        r"
interrupt irq in main runs main at base;

proc main() {
}
",
    );
}

#[test]
fn globals_and_their_initial_values() {
    check(
        r"enum Mode { idle, busy }
var b: bool;
var i: int = -3;
var r: 2..5;
var s: -1..1;
plain var m: Mode = busy;
var l: lock;
var hex: int = 0xffffffff;
var least: int = -2147483648;
proc main() { }",
        r"
enum Mode { idle, busy }
var b: bool;
var i: int = -3;
var r: 2..5 = 2;
var s: -1..1;
plain var m: Mode = busy;
var l: lock;
var hex: int = -1;
var least: int = -2147483648;

proc main() {
}
",
    );
}

#[test]
fn arrays_are_maps() {
    check(
        r"const N = 2;
var a: [int; N];
var b: [0..9; 4] = [1, 2, 3, 4];
var c: [bool; 3] = true;
var l: [lock; N];
proc main() { a[1] := a[0]; a[a[1]] := b[1 + 2]; }",
        r"
var a: [int; 2];
var b: [0..9; 4] = [1, 2, 3, 4];
var c: [bool; 3] = true;
var l: [lock; 2];

proc main() {
    a[1] := a[0];
    a[a[1]] := b[3];
}
",
    );
}

#[test]
fn nested_arrays_are_one_map_with_a_computed_index() {
    check(
        r"var g: [[int; 3]; 2] = [[1, 2, 3], 7];
var h: [[[bool; 2]; 2]; 2];
proc main() { var i: int; g[i][1] := g[1][i] + g[1][2]; h[i][i][i] := true; }",
        r"
var g: [int; 6] = [1, 2, 3, 7, 7, 7];
var h: [bool; 8];

proc main() {
    var i: int;
    i := 0;
    g[bound(i, 2) * 3 + 1] := g[3 + bound(i, 3)] + g[5];
    h[(bound(i, 2) * 2 + bound(i, 2)) * 2 + bound(i, 2)] := true;
}
",
    );
}

#[test]
fn records_are_one_variable_for_each_field() {
    check(
        r"record Point { x: int, y: 0..3 }
record Slot { place: Point, full: bool, tags: [int; 2] }
var one: Slot;
var slots: [Slot; 4];
proc main() { var p: Point; one.place.x := 1; slots[p.x].tags[1] := slots[2].place.y; slots[3].full := true; p.y := 2; }",
        r"
var one.place.x: int;
var one.place.y: 0..3;
var one.full: bool;
var one.tags: [int; 2];
var slots.place.x: [int; 4];
var slots.place.y: [0..3; 4];
var slots.full: [bool; 4];
var slots.tags: [int; 8];

proc main() {
    var p.x: int;
    var p.y: 0..3;
    p.x := 0;
    p.y := 0;
    one.place.x := 1;
    slots.tags[bound(p.x, 4) * 2 + 1] := slots.place.y[2];
    slots.full[3] := true;
    p.y := 2;
}
",
    );
}

#[test]
fn an_index_is_checked_unless_it_is_a_constant_inside() {
    check(
        r"var a: [int; 3];
proc main() { a[2] := 1; a[3] := 2; a[-1] := 3; }",
        r"
var a: [int; 3];

proc main() {
    a[2] := 1;
    a[bound(3, 3)] := 2;
    a[bound(-1, 3)] := 3;
}
",
    );
}

#[test]
fn constants_are_folded() {
    check(
        r"const N = 3;
const WIDE = N * 4 - 1 << 2;
const FAST = N > 2 && !false;
var x: 0..WIDE;
var y: bool = FAST;
proc main() { x := N + 1; x := x + (N - 1); y := FAST && y; y := y && FAST; x := FAST ? x : 0; x := 7 / 2 - -7 % 3; x := ~0 ^ 5 | 2 & 3; }",
        r"
var x: 0..44;
var y: bool = true;

proc main() {
    x := 4;
    x := x + 2;
    y := y;
    y := y;
    x := x;
    x := 4;
    x := -6;
}
",
    );
}

#[test]
fn constants_in_any_order() {
    check(
        r"const A = B + 1;
const B = C * 2;
const C = 5;
var x: int = A;
proc main() { }",
        r"
var x: int = 11;

proc main() {
}
",
    );
}

#[test]
fn folding_keeps_what_happens_at_run_time() {
    check(
        r"var x: int;
proc main() { x := 2147483647 + 1; x := 1 / 0; x := -2147483648 / -1; x := 1 << 33; x := -8 >> 1; }",
        r"
var x: int;

proc main() {
    x := 2147483647 + 1;
    x := 1 / 0;
    x := -2147483648 / -1;
    x := 2;
    x := -4;
}
",
    );
}

#[test]
fn what_is_not_needed_is_not_computed() {
    check(
        r"const N = 0;
const OK = N == 0 || 10 / N > 1;
const M = N == 0 ? 7 : 10 / N;
var x: int = M;
var b: bool = OK;
proc main() { }",
        r"
var x: int = 7;
var b: bool = true;

proc main() {
}
",
    );
}

#[test]
fn operators_and_their_precedence() {
    check(
        r"var a: int;
var b: int;
var c: bool;
proc main() { c := a + b * 2 == a || c && a < b != (b >= a); a := (a + b) * -(a | b & 3 ^ ~a) << 1; c := !(c || a <= b) ? c : !c; a := a - (b - a) - 1; a := a % b / 2; }",
        r"
var a: int;
var b: int;
var c: bool;

proc main() {
    c := a + b * 2 == a || c && a < b != b >= a;
    a := (a + b) * -(a | b & 3 ^ ~a) << 1;
    c := !(c || a <= b) ? c : !c;
    a := a - (b - a) - 1;
    a := a % b / 2;
}
",
    );
}

#[test]
fn enums_are_compared_by_name() {
    check(
        r"enum Mode { idle, busy }
var m: Mode;
var b: bool;
proc main() { b := m == busy; b := idle != m; m := b ? busy : idle; }",
        r"
enum Mode { idle, busy }
var m: Mode;
var b: bool;

proc main() {
    b := m == busy;
    b := idle != m;
    m := b ? busy : idle;
}
",
    );
}

#[test]
fn final_conditions() {
    check(
        r#"enum E { a, b }
var e: E;
var x: [int; 2];
final e == a;
final x[0]
  == x[1], "equal at\nthe \"end\"";
proc main() { }"#,
        r#"
enum E { a, b }
var e: E;
var x: [int; 2];
final e == a, "final condition does not hold: e == a";
final x[0] == x[1], "equal at\nthe \"end\"";

proc main() {
}
"#,
    );
}

#[test]
fn soft_keywords_are_names() {
    check(
        r"record Levels { buffer: int }
var serial: Levels;
var interrupt: int;
var yields: int;
proc main() { interrupt := serial.buffer; yields := 1; runs(yields); }
proc runs(record: int) { }",
        r"
var serial.buffer: int;
var interrupt: int;
var yields: int;

proc main() {
    interrupt := serial.buffer;
    yields := 1;
    runs(yields);
}

proc runs(record: int) {
}
",
    );
}
