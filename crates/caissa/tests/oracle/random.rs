//! Small well-formed programs from a seed.
//!
//! The same seed and options give the same program on every machine.

use std::ops::RangeInclusive;

use super::ends::Ends;
use super::program::{Instr, Program, Task};

/// Splitmix64.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next_u64() % end as u64) as usize
    }

    pub fn within(&mut self, range: &RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    /// True `times` out of `of`.
    pub fn chance(&mut self, times: usize, of: usize) -> bool {
        self.below(of) < times
    }
}

/// What a generated program may contain.
#[derive(Clone, Debug)]
pub struct Options {
    /// Tasks, main included; at least 1.
    pub tasks: RangeInclusive<usize>,
    /// Instructions per task, releases included, spawns and joins not. Fewer where no kind that is on
    /// fits: a lone instruction cannot take and release a lock.
    pub instrs: RangeInclusive<usize>,
    /// How many there are of each kind of object that occurs.
    pub objects: RangeInclusive<usize>,
    pub atomics: bool,
    /// `Lock`; sections nest in any order and so may deadlock.
    pub mutexes: bool,
    /// `TryLock`, on the same mutexes.
    pub try_lock: bool,
    pub rwlocks: bool,
    /// Most children are joined by their parent, at its end or earlier.
    pub joins: bool,
    pub park: bool,
    pub yields: bool,
    /// Children spawn too; otherwise main alone does.
    pub nested_spawns: bool,
    /// `Wait`, each in a section of its own or in an open one, and both ways to notify.
    pub condvars: bool,
    pub barriers: bool,
    pub channels: bool,
    pub choices: bool,
    pub is_finished: bool,
}

impl Options {
    /// 2 to 4 tasks of 1 to 4 instructions on 1 or 2 objects, with every kind switched off.
    pub fn none() -> Options {
        Options {
            tasks: 2..=4,
            instrs: 1..=4,
            objects: 1..=2,
            atomics: false,
            mutexes: false,
            try_lock: false,
            rwlocks: false,
            joins: false,
            park: false,
            yields: false,
            nested_spawns: false,
            condvars: false,
            barriers: false,
            channels: false,
            choices: false,
            is_finished: false,
        }
    }

    /// As `none`, with every kind switched on that is not about tasks meeting or choosing.
    pub fn all() -> Options {
        Options {
            atomics: true,
            mutexes: true,
            try_lock: true,
            rwlocks: true,
            joins: true,
            park: true,
            yields: true,
            nested_spawns: true,
            ..Options::none()
        }
    }

    /// As `none`, with the kinds switched on that the low 8 bits of `mask` name, in the order of the
    /// fields.
    pub fn from_mask(mask: u64) -> Options {
        let bit = |at: u32| mask >> at & 1 == 1;
        Options {
            atomics: bit(0),
            mutexes: bit(1),
            try_lock: bit(2),
            rwlocks: bit(3),
            joins: bit(4),
            park: bit(5),
            yields: bit(6),
            nested_spawns: bit(7),
            ..Options::none()
        }
    }

    /// With the kinds in which tasks meet or choose switched on that the low 5 bits of `mask` name, and
    /// smaller programs, as these kinds take more steps.
    pub fn meeting(self, mask: u64) -> Options {
        let bit = |at: u32| mask >> at & 1 == 1;
        Options {
            tasks: 2..=3,
            condvars: bit(0),
            barriers: bit(1),
            channels: bit(2),
            choices: bit(3),
            is_finished: bit(4),
            ..self
        }
    }

    fn kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        if self.atomics {
            // Twice, because one kind stands for four instructions.
            kinds.extend([Kind::Atomic, Kind::Atomic]);
        }
        if self.mutexes {
            kinds.push(Kind::Lock);
        }
        if self.try_lock {
            kinds.push(Kind::TryLock);
        }
        if self.rwlocks {
            kinds.push(Kind::RwLock);
        }
        if self.park {
            // More tokens than parking tasks, lest most programs end in a deadlock.
            kinds.extend([Kind::Park, Kind::Unpark, Kind::Unpark]);
        }
        if self.yields {
            kinds.push(Kind::Yield);
        }
        if self.condvars {
            kinds.extend([Kind::Wait, Kind::Wait, Kind::Notify, Kind::Notify]);
        }
        if self.barriers {
            kinds.extend([Kind::Barrier; 2]);
        }
        if self.channels {
            kinds.extend([Kind::Channel; 3]);
        }
        if self.choices {
            kinds.push(Kind::Choose);
        }
        kinds
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Atomic,
    Lock,
    TryLock,
    RwLock,
    Park,
    Unpark,
    Yield,
    Wait,
    Notify,
    Barrier,
    Channel,
    Choose,
}

impl Kind {
    /// How many instructions it adds to a list.
    fn length(self) -> usize {
        match self {
            Kind::Wait => 3,
            Kind::Lock | Kind::TryLock | Kind::RwLock => 2,
            _ => 1,
        }
    }
}

/// Stands for a target that is chosen once the spawns are in place.
const TARGET_LATER: Task = Task::MAX;

pub fn random_program(seed: u64, options: &Options) -> Program {
    let mut generator =
        Generator { rng: Rng::new(seed), kinds: options.kinds(), options, objects: 1, ends: Vec::new() };
    generator.objects = generator.rng.within(&options.objects);
    generator.program()
}

struct Generator<'o> {
    rng: Rng,
    kinds: Vec<Kind>,
    options: &'o Options,
    objects: usize,
    ends: Vec<Ends>,
}

impl Generator<'_> {
    fn program(&mut self) -> Program {
        let tasks = self.rng.within(&self.options.tasks);
        if self.options.channels {
            self.ends = (0..self.objects).map(|_| Ends::random(&mut self.rng, tasks)).collect();
        }
        let mut lists: Vec<Vec<Instr>> = (0..tasks).map(|task| self.body(task)).collect();
        for (channel, ends) in self.ends.iter().enumerate() {
            ends.add_drops(channel, &mut self.rng, &mut lists);
        }
        let mut earliest = vec![0; tasks];
        for child in 1..tasks {
            let parent = match self.options.nested_spawns {
                true => self.rng.below(child),
                false => 0,
            };
            // Siblings are spawned in ascending order, half of them as soon as possible, so that much
            // runs side by side.
            let list = &mut lists[parent];
            let at = match self.rng.chance(1, 2) {
                true => earliest[parent],
                false => earliest[parent] + self.rng.below(list.len() - earliest[parent] + 1),
            };
            list.insert(at, Instr::Spawn(child));
            earliest[parent] = at + 1;
        }
        if self.options.joins {
            for list in &mut lists {
                self.add_joins(list);
            }
        }
        if self.options.is_finished {
            for list in &mut lists {
                self.add_questions(list);
            }
        }
        let mut program = Program::new(lists);
        for size in &mut program.barriers {
            *size = [1, 2, 2, 3][self.rng.below(4)];
        }
        program.channels = self.ends.iter().map(|ends| ends.capacity).collect();
        self.choose_targets(&mut program);
        program
    }

    /// Instructions without spawns and joins. Sections nest: what was taken last is released first.
    fn body(&mut self, task: Task) -> Vec<Instr> {
        // Instructions still to come, the releases of the open sections not counted.
        let mut free = self.rng.within(&self.options.instrs);
        let mut list = Vec::new();
        let mut open = Vec::new();
        loop {
            if !open.is_empty() && self.rng.chance(1, 3) {
                list.extend(open.pop());
                continue;
            }
            let fitting = self.kinds.iter().filter(|kind| kind.length() <= free);
            let fitting: Vec<Kind> = fitting.copied().collect();
            if fitting.is_empty() {
                list.extend(open.into_iter().rev());
                return list;
            }
            let kind = fitting[self.rng.below(fitting.len())];
            free -= kind.length();
            if kind == Kind::Channel {
                let channel = self.rng.below(self.objects);
                list.extend(self.ends[channel].use_of(channel, task, &mut self.rng));
                continue;
            }
            let (instr, release) = self.instr(kind);
            match release {
                None => list.push(instr),
                // The task has that lock already: two instructions fewer.
                Some(release) if open.iter().any(|held| same_lock(*held, release)) => {
                    list.extend((kind == Kind::Wait).then_some(instr));
                }
                Some(release) => {
                    if let Instr::Wait(_, m) = instr {
                        list.push(Instr::Lock(m));
                    }
                    list.push(instr);
                    open.push(release);
                }
            }
        }
    }

    /// An instruction and, if it opens a section, the one that closes it.
    fn instr(&mut self, kind: Kind) -> (Instr, Option<Instr>) {
        let object = self.rng.below(self.objects);
        match kind {
            Kind::Atomic => (self.atomic(object), None),
            Kind::Lock => (Instr::Lock(object), Some(Instr::Unlock(object))),
            Kind::TryLock => (Instr::TryLock(object), Some(Instr::Unlock(object))),
            Kind::RwLock if self.rng.chance(1, 2) => (Instr::Read(object), Some(Instr::ReadUnlock(object))),
            Kind::RwLock => (Instr::Write(object), Some(Instr::WriteUnlock(object))),
            Kind::Park => (Instr::Park, None),
            Kind::Unpark => (Instr::Unpark(TARGET_LATER), None),
            Kind::Yield => (Instr::Yield, None),
            Kind::Wait => (Instr::Wait(self.rng.below(self.objects), object), Some(Instr::Unlock(object))),
            Kind::Notify if self.rng.chance(2, 3) => (Instr::NotifyOne(object), None),
            Kind::Notify => (Instr::NotifyAll(object), None),
            Kind::Barrier => (Instr::Arrive(object), None),
            Kind::Choose => (Instr::Choose(1 + self.rng.below(3)), None),
            Kind::Channel => unreachable!("depends on the task"),
        }
    }

    /// Values are few, so that a `Cas` has a fair chance to succeed.
    fn atomic(&mut self, object: usize) -> Instr {
        match self.rng.below(4) {
            0 => Instr::Load(object),
            1 => Instr::Store(object, self.rng.below(3) as u64),
            2 => Instr::Add(object, 1 + self.rng.below(2) as u64),
            _ => {
                let expected = self.rng.below(3) as u64;
                Instr::Cas(object, expected, self.rng.below(3) as u64)
            }
        }
    }

    /// Joins three in four of the children, every other one as the last thing in the list.
    fn add_joins(&mut self, list: &mut Vec<Instr>) {
        let spawns = list.clone();
        for spawn in spawns {
            let Instr::Spawn(child) = spawn else {
                continue;
            };
            if !self.rng.chance(3, 4) {
                continue;
            }
            let after = 1 + list.iter().position(|i| *i == spawn).expect("still there");
            let at = match self.rng.chance(1, 2) {
                true => list.len(),
                false => after + self.rng.below(list.len() - after + 1),
            };
            list.insert(at, Instr::Join(child));
        }
    }

    /// Asks for every other child whether it has finished, before it is joined.
    fn add_questions(&mut self, list: &mut Vec<Instr>) {
        for spawn in list.clone() {
            let Instr::Spawn(child) = spawn else {
                continue;
            };
            if self.rng.chance(1, 2) {
                let place = |instr: Instr| list.iter().position(|i| *i == instr);
                let after = 1 + place(spawn).expect("still there");
                let before = place(Instr::Join(child)).unwrap_or(list.len());
                list.insert(after + self.rng.below(before - after + 1), Instr::IsFinished(child));
            }
        }
    }

    /// Lets each `Unpark` name a task that exists for certain; it may be the unparking task itself.
    fn choose_targets(&mut self, program: &mut Program) {
        for task in 0..program.tasks.len() {
            for at in 0..program.tasks[task].len() {
                if program.tasks[task][at] == Instr::Unpark(TARGET_LATER) {
                    let all = 0..program.tasks.len();
                    let existing = all.filter(|other| program.exists_at(task, at, *other));
                    let existing: Vec<Task> = existing.collect();
                    let target = existing[self.rng.below(existing.len())];
                    program.tasks[task][at] = Instr::Unpark(target);
                }
            }
        }
    }
}

/// Whether two releases are of one lock.
fn same_lock(one: Instr, other: Instr) -> bool {
    use Instr::*;
    match (one, other) {
        (Unlock(a), Unlock(b)) => a == b,
        (ReadUnlock(a) | WriteUnlock(a), ReadUnlock(b) | WriteUnlock(b)) => a == b,
        _ => false,
    }
}
