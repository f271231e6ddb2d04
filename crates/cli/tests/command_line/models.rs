//! Small models, each with one thing to find, and one with nothing but work.

/// A counter whose increments are two steps: one is lost after 1 preemption.
pub const COUNTER: &str = "\
implicit yields;

const TASKS = 2;

var counter: int;

final counter == TASKS, \"an increment is lost\";

proc main() {
    for i in 1..TASKS { post increment(); }
}

proc increment() {
    var seen: int = counter;
    counter := seen + 1;
}
";

/// The same in one step.
pub const COUNTER_REPAIRED: &str = "\
implicit yields;

const TASKS = 2;

var counter: int;

final counter == TASKS, \"an increment is lost\";

proc main() {
    for i in 1..TASKS { post increment(); }
}

proc increment() {
    counter := counter + 1;
}
";

/// Two handlers that give way to each other for ever: a round takes 3 preemptions.
pub const POLITE: &str = "\
implicit yields;

var wants: [bool; 2];

proc main() {
    post handler(0);
    post handler(1);
}

proc handler(me: int) {
    wants[me] := true;
    while wants[1 - me] {
        wants[me] := false;
        pause;
        wants[me] := true;
    }
    wants[me] := false;
}
";

/// The second one gives way for good.
pub const POLITE_REPAIRED: &str = "\
implicit yields;

var wants: [bool; 2];

proc main() {
    post handler(0);
    post handler(1);
}

proc handler(me: int) {
    wants[me] := true;
    while wants[1 - me] {
        if me == 1 {
            wants[me] := false;
            while wants[0] { pause; }
            wants[me] := true;
        } else {
            pause;
        }
    }
    wants[me] := false;
}
";

/// A device raises its line for each item; raised twice, it is heard once, and the consumer waits for ever.
pub const DEVICE: &str = "\
levels passive < serial irq;
buffer cpu runs consumer;
buffer device runs producer;
interrupt line in cpu runs handler at irq;

const ITEMS = 2;

var ready: 0..ITEMS;

proc consumer() {
    for i in 1..ITEMS {
        zield;
        await ready > 0;
        ready := ready - 1;
    }
}

proc handler() { ready := ready + 1; }

proc producer() {
    for i in 1..ITEMS {
        raise line;
        zield;
    }
}
";

/// Accesses of plain data that race, and a lost increment beside them.
pub const RACE: &str = "\
implicit yields;

plain var data: int;
var counter: int;

final counter == 2, \"an increment is lost\";

proc main() {
    post work();
    post work();
}

proc work() {
    var seen: int;
    data := data + 1;
    seen := counter;
    counter := seen + 1;
}
";

/// A sum that is wrong for some choices only.
pub const CHOICES: &str = "\
implicit yields;

var sum: int;

proc main() {
    post add(1);
    post add(2);
}

proc add(least: int) {
    var n: int = choose(least, 4);
    sum := sum + n;
    if * { sum := sum + 1; }
    assert sum != 9, \"nine\";
}
";

/// Tasks that share a variable and have nothing to find: as much work as its constants say.
pub const WORK: &str = "\
implicit yields;

const TASKS = 3;
const STEPS = 3;

var steps: [0..STEPS; TASKS];
var last: int;

proc main() {
    for i in 1..TASKS { post worker(i - 1); }
}

proc worker(me: int) {
    for i in 1..STEPS {
        last := me;
        steps[me] := i;
    }
}
";
