//! Races on plain globals: the stateless engine against a naive judge, on every execution of small random programs. The judge orders the
//! events of an execution as docs/semantics.md says, by a transitive closure. `CAISSA_AGREE=20` for twenty times as many programs.

use std::sync::Arc;

use crate::small::random::{Shape, program};
use crate::small::rules::{End, Event, Flat, State};
use crate::small::{compile, times};
use caissa_core::{AtCut, Cost, Ending, GuideSpec};
use caissa_model::{Code, Exec, ExecSettings};
use caissa_search::{Bounds, Ingredient, Mix, Next, Search, Settings, Subject};

/// Whether some execution of the stateless engine ends by a race; none if there are too many executions.
fn races(code: &Arc<Code>) -> Option<bool> {
    let settings = Settings {
        max_executions: 5_000,
        max_steps: 10_000,
        max_memory: None,
        faults: 0,
        reduce: false,
        keep_going: true,
    };
    let guide = GuideSpec::NonPreemptive;
    let bounds = Bounds { cost: Cost::Preemptions, guide, max_bound: None, at_cut: AtCut::Stop };
    let mut search = Mix::new(settings, vec![(Ingredient::Bounded(bounds), 1)]);
    let unfair = ExecSettings { fair_k: 0, classes: false, ..ExecSettings::default() };
    let mut exec = Exec::new(Arc::clone(code), unfair);
    let mut count = 0;
    loop {
        let (id, mut job) = match search.next() {
            Next::Run(id, job) => (id, job),
            Next::Wait => unreachable!("no job is being run"),
            Next::Done => return (count < 5_000).then_some(false),
        };
        job.limit.executions = 1;
        let outcome = exec.run(&job);
        count += 1;
        if exec.ending() == Some(&Ending::Raced) {
            return Some(true);
        }
        search.learn(id, outcome);
    }
}

/// An event of an execution: who does what, with a number that is not given twice.
#[derive(Clone, Debug)]
struct Did {
    task: usize,
    what: Event,
    /// The events before it in the order, by their numbers, all of them.
    before: Vec<bool>,
}

/// An execution so far.
#[derive(Clone)]
struct Run {
    state: State,
    events: Vec<Did>,
    /// The number of the task at each place.
    numbers: Vec<usize>,
    next: usize,
    /// For each task the events that its next one comes after, beside its own.
    after: Vec<Vec<usize>>,
    /// The ends of tasks at serial levels, by buffer.
    serial: Vec<Vec<usize>>,
}

impl Run {
    fn first(flat: &Flat<'_>) -> Run {
        let buffers = flat.program.buffers;
        Run {
            state: flat.first(),
            events: vec![],
            numbers: (0..buffers).collect(),
            next: buffers,
            after: vec![vec![]; buffers],
            serial: vec![vec![]; buffers],
        }
    }

    /// Adds an event; true if it races with one before it.
    fn add(&mut self, slot: usize, what: Event) -> bool {
        let task = self.numbers[slot];
        let mut direct = std::mem::take(&mut self.after[task]);
        for (i, did) in self.events.iter().enumerate() {
            let same = match (&did.what, &what) {
                (Event::Global(_, one, writes), Event::Global(_, other, also)) => {
                    one == other && (*writes || *also)
                }
                _ => false,
            };
            if did.task == task || same {
                direct.push(i);
            }
        }
        let mut before = vec![false; self.events.len()];
        for i in direct {
            before[i] = true;
            self.events[i]
                .before
                .iter()
                .enumerate()
                .filter(|(_, is)| **is)
                .for_each(|(j, _)| before[j] = true);
        }
        let races = |(i, did): (usize, &Did)| match (&did.what, &what) {
            (Event::Data(_, one, writes), Event::Data(_, other, also)) => {
                one == other && (*writes || *also) && did.task != task && !before[i]
            }
            _ => false,
        };
        let found = self.events.iter().enumerate().any(races);
        self.events.push(Did { task, what, before });
        found
    }
}

/// Whether some execution races, by the judge; none if there are too many.
fn judged(flat: &Flat<'_>) -> Option<bool> {
    let mut open = vec![Run::first(flat)];
    let (mut count, mut found) = (0, false);
    while let Some(run) = open.pop() {
        count += 1;
        if count > 4_000 {
            return None;
        }
        for slot in flat.candidates(&run.state) {
            for (end, events) in flat.go(&run.state, slot) {
                let mut run = run.clone();
                found |= follow(flat, &mut run, &events);
                match end {
                    End::To(state) => open.push(Run { state, ..run }),
                    End::TooMuch | End::Spins => return None,
                    End::Unlock | End::Assertion => {}
                }
            }
        }
    }
    Some(found)
}

/// Follows the events of a segment; true if there is a race.
fn follow(flat: &Flat<'_>, run: &mut Run, events: &[Event]) -> bool {
    let mut found = false;
    let mut tasks = run.state.tasks.clone();
    let mut stacks = run.state.active.clone();
    for event in events {
        match event {
            &Event::Runs(slot) => {
                let task = tasks[slot].expect("it runs");
                if stacks[task.buffer].last() != Some(&slot) {
                    stacks[task.buffer].push(slot);
                }
                if flat.program.levels[task.level] {
                    let ends = run.serial[task.buffer].clone();
                    run.after[run.numbers[slot]].extend(ends);
                }
            }
            &Event::Posts(by, new, level) => {
                run.add(by, event.clone());
                run.numbers.resize(run.numbers.len().max(new + 1), usize::MAX);
                tasks.resize(tasks.len().max(new + 1), None);
                run.numbers[new] = run.next;
                run.next += 1;
                run.after.push(vec![run.events.len() - 1]);
                tasks[new] = Some(flat.posted(tasks[by].expect("it posts"), level));
            }
            &Event::Ends(slot) => {
                run.add(slot, event.clone());
                let end = run.events.len() - 1;
                let task = tasks[slot].take().expect("it ends");
                stacks[task.buffer].pop();
                if let Some(&below) = stacks[task.buffer].last() {
                    run.after[run.numbers[below]].push(end);
                }
                if flat.program.levels[task.level] {
                    run.serial[task.buffer].push(end);
                }
            }
            &Event::Global(slot, ..) | &Event::Data(slot, ..) => found |= run.add(slot, event.clone()),
            Event::Pauses(_) => {}
        }
    }
    found
}

#[test]
fn races_are_those_of_the_judge() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..400 * times() {
        let shape = Shape { one: false, cyclic: false, asserts: false, waits: seed % 2 == 0, data: 1 };
        let program = program(seed, shape);
        let Some(expected) = judged(&Flat::new(&program)) else { continue };
        let text = program.to_string();
        let Some(found) = races(&compile(&text)) else { continue };
        assert_eq!(found, expected, "seed {seed}: the engine, the judge\n{text}");
        if !text.contains("d0") {
            continue;
        }
        *(if found { &mut with } else { &mut without }) += 1;
    }
    println!("{with} programs with races, {without} without");
    assert!(with >= 30 && without >= 30);
}

#[test]
fn all_that_ran_while_a_task_was_interrupted_comes_before_the_rest_of_it() {
    let text = "levels low < high;\nplain var d: int;
        proc main() { post h1() at high; d := 1; }
        proc h1() { post h2() at high; d := 2; }
        proc h2() { skip; }";
    assert_eq!(races(&compile(text)), Some(false));
    // The second one has the same level as the first and is not ordered with it.
    let race = text.replace("skip", "d := 3");
    assert_eq!(races(&compile(&race)), Some(true));
}

#[test]
fn a_task_that_waits_in_vain_orders_nothing() {
    let text = "buffer a runs ta;\nbuffer b runs tb;\nvar x: bool;\nvar m: lock;\nplain var d: int;
        proc ta() { d := 1; await x; }
        proc tb() { x := true; d := 2; }";
    assert_eq!(races(&compile(text)), Some(true));
    let waits = text
        .replace("d := 1; await x;", "await x; d := 1;")
        .replace("x := true; d := 2;", "d := 2; x := true;");
    assert_eq!(races(&compile(&waits)), Some(false));
    let locks = text.replace("d := 1; await x;", "zield; d := 1; lock m; unlock m;");
    let locks = locks.replace("x := true; d := 2;", "lock m; zield; unlock m; d := 2;");
    assert_eq!(races(&compile(&locks)), Some(true));
}
