//! The parts of random programs: procedures, statements, expressions.
//!
//! Values stay small, and most assignments keep to the ranges of their variables. Some statements are patterns: a value that is read,
//! and written or checked again later; a locked section.

use super::ast::{Block, Expr, Global, Op, Place, Proc, Program, Stmt, Type};
use super::random::{Rng, Shape};
use super::write::{binary, int, v};

/// What a procedure may still do, with everything that it posts and calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub tasks: u32,
    /// Yields and zields, and accesses where these are implicit.
    pub points: u32,
}

pub struct Sketch {
    pub rng: Rng,
    pub program: Program,
    shape: Shape,
    /// What is left for the procedure that is being made.
    pub budget: Budget,
    /// What each finished procedure uses.
    costs: Vec<Budget>,
    /// The locals of the procedure that is being made.
    pub locals: Vec<Type>,
    /// How often the statement that is being made may be executed.
    times: u32,
    /// Inside `atomic`.
    atomic: bool,
    /// The procedure that is being made.
    current: usize,
    /// Locals that count: they are not assigned to.
    pub counters: Vec<usize>,
    /// Those of the `for` loops around.
    pub around: Vec<usize>,
}

#[derive(Clone, Copy)]
enum What {
    Assign,
    Local,
    Havoc,
    Update,
    Check,
    Yield,
    Zield,
    Pause,
    Post,
    Call,
    Raise,
    If,
    While,
    For,
    Either,
    Atomic,
    Section,
    Assert,
    Assume,
    Await,
    Stray,
    Return,
    Skip,
}

impl Sketch {
    pub fn new(rng: Rng, program: Program, shape: Shape) -> Sketch {
        let none = Budget { tasks: 0, points: 0 };
        let costs = vec![none; program.procs.len()];
        Sketch {
            rng,
            program,
            shape,
            budget: none,
            costs,
            locals: vec![],
            times: 1,
            atomic: false,
            current: 0,
            counters: vec![],
            around: vec![],
        }
    }

    pub fn is_implicit(&self) -> bool {
        self.program.implicit_yields || self.program.implicit_zields
    }

    /// Adds what is said of terminated states.
    pub fn finish(mut self) -> Program {
        self.locals.clear();
        if self.rng.once_in(4) {
            let scalar = |global: &Global| global.len.is_none();
            if let Some(global) = self.program.globals.iter().position(scalar) {
                let condition = self.differs(Place::Global(global));
                self.program.finals.push(condition);
            }
        }
        self.program
    }

    fn begin(&mut self, proc: usize) -> Budget {
        let handler = self.program.lines.iter().any(|line| line.handler == proc);
        let main = self.program.buffers.contains(&proc);
        let params = if handler || main { 0 } else { self.rng.weighted(&[(3, 0), (2, 1)]) };
        self.locals = (0..params).map(|_| self.rng.pick(&[Type::Range(0, 2), Type::Bool])).collect();
        self.program.procs[proc].params = params;
        let gives = !handler && !main && self.shape != Shape::Threads && self.rng.once_in(5);
        self.program.procs[proc].result =
            gives.then(|| self.rng.pick(&[Type::Bool, Type::Int, Type::Range(0, 3)]));
        self.counters.clear();
        self.times = 1;
        self.current = proc;
        self.budget
    }

    fn end(&mut self, before: Budget, mut body: Block) {
        let proc = self.current;
        let result = self.program.procs[proc].result;
        if result.is_some() {
            body.extend(self.statement(What::Return, 0));
            if !matches!(body.last(), Some(Stmt::Return(_))) {
                // There was no room for what it reads.
                body.push(Stmt::Return(Some(if result == Some(Type::Bool) {
                    Expr::Bool(true)
                } else {
                    int(1)
                })));
            }
        }
        self.costs[proc] =
            Budget { tasks: before.tasks - self.budget.tasks, points: before.points - self.budget.points };
        let params = self.program.procs[proc].params;
        self.program.procs[proc] = Proc { params, locals: self.locals.clone(), result, body };
    }

    /// A procedure of up to so many statements, some of which are posts at its beginning.
    pub fn procedure(&mut self, proc: usize, length: usize, posts: usize) {
        let before = self.begin(proc);
        let mut body = vec![];
        if self.rng.once_in(10) && self.afford_point() {
            body.push(Stmt::Yield);
            body.extend(self.statement(What::Await, 0));
        }
        for _ in 0..posts {
            body.extend(self.begin_another(What::Post));
        }
        body.extend(self.block(length, 2));
        self.end(before, body);
    }

    /// Posts so many tasks, and nothing else.
    pub fn posts(&mut self, proc: usize, tasks: usize) {
        let before = self.begin(proc);
        let mut body = vec![];
        for _ in 0..tasks {
            let posted = self.rng.within(proc + 1, self.program.procs.len() - 1);
            body.push(self.post(posted, None));
        }
        self.end(before, body);
    }

    /// A procedure that yields before each of so many accesses.
    pub fn thread(&mut self, proc: usize, accesses: usize) {
        let before = self.begin(proc);
        let mut made: Block = vec![];
        let mut held = None;
        while made.len() < accesses {
            let left = accesses - made.len();
            match held {
                Some(lock) if left == 1 || self.rng.once_in(2) => {
                    made.push(Stmt::Unlock(lock));
                    held = None;
                    continue;
                }
                None if self.program.locks > 0 && left > 1 && self.rng.once_in(3) => {
                    let lock = self.rng.below(self.program.locks);
                    made.push(Stmt::Lock(lock));
                    held = Some(lock);
                    continue;
                }
                _ => {}
            }
            let pair = if left > 1 { 4 } else { 0 };
            let what = self.rng.weighted(&[
                (6, What::Assign),
                (2 * pair, What::Update),
                (pair, What::Check),
                (2, What::Local),
                (2, What::Assert),
                (1, What::Await),
                (1, What::Assume),
                (1, What::If),
            ]);
            made.extend(self.statement(what, 1));
        }
        let mut body = vec![];
        for stmt in made {
            body.push(if self.rng.once_in(12) { Stmt::Pause } else { Stmt::Yield });
            body.push(stmt);
        }
        self.end(before, body);
    }

    fn block(&mut self, length: usize, depth: usize) -> Block {
        let mut body = vec![];
        for _ in 0..self.rng.within(1.max(length / 2), length) {
            // A second try, if there was no room for the first.
            for _ in 0..2 {
                let what = self.what(depth);
                let made = self.statement(what, depth);
                body.extend(made.iter().cloned());
                if !made.is_empty() {
                    break;
                }
            }
        }
        body
    }

    fn what(&mut self, depth: usize) -> What {
        let deep = usize::from(depth > 0);
        let lines = if self.program.lines.is_empty() { 0 } else { 8 };
        let points = if self.is_implicit() { 1 } else { 5 };
        let locks = if self.program.locks == 0 { 0 } else { 4 };
        let buffers = self.program.buffers.len().min(2);
        self.rng.weighted(&[
            (20, What::Assign),
            (5, What::Local),
            (2, What::Havoc),
            (5, What::Update),
            (3, What::Check),
            (3 * points, What::Yield),
            (buffers * 2 * points, What::Zield),
            (1, What::Pause),
            (12, What::Post),
            (4, What::Call),
            (lines, What::Raise),
            (6 * deep, What::If),
            (2 * deep, What::While),
            (2 * deep, What::For),
            (3 * deep, What::Either),
            (2 * deep, What::Atomic),
            (deep * locks, What::Section),
            (5, What::Assert),
            (2, What::Assume),
            (4, What::Await),
            (locks / 4, What::Stray),
            (1, What::Return),
            (1, What::Skip),
        ])
    }

    /// Takes something from the budget, as often as the statement may be executed.
    fn afford(&mut self, cost: Budget) -> bool {
        let (tasks, points) = (cost.tasks * self.times, cost.points * self.times);
        if tasks > self.budget.tasks || points > self.budget.points {
            return false;
        }
        self.budget = Budget { tasks: self.budget.tasks - tasks, points: self.budget.points - points };
        true
    }

    fn afford_point(&mut self) -> bool {
        !self.atomic && self.afford(Budget { tasks: 0, points: 1 })
    }

    /// The statements of a kind; none if there is no room for them.
    fn statement(&mut self, what: What, depth: usize) -> Block {
        let made = self.unaccounted(what, depth);
        if self.is_implicit() && !self.atomic {
            // Their blocks have been paid for already.
            let accesses =
                made.iter().filter(|stmt| stmt.is_access() || matches!(stmt, Stmt::Atomic(_))).count();
            let again = if made.iter().any(|stmt| matches!(stmt, Stmt::While(..))) { 3 } else { 1 };
            if !self.afford(Budget { tasks: 0, points: accesses as u32 * again }) {
                return vec![];
            }
        }
        made
    }

    fn unaccounted(&mut self, what: What, depth: usize) -> Block {
        match what {
            What::Assign => self.assign(),
            What::Local => self.read_into_local(),
            What::Havoc => {
                let places = self.places(|ty| ty != Type::Int, true);
                if places.is_empty() { vec![] } else { vec![Stmt::Havoc(self.rng.pick(&places))] }
            }
            What::Update | What::Check => self.read_and_later(matches!(what, What::Update)),
            What::Yield if self.afford_point() => self.maybe_waiting(Stmt::Yield),
            What::Zield if self.afford_point() => self.maybe_waiting(Stmt::Zield),
            What::Pause if self.afford_point() => vec![Stmt::Pause],
            What::Yield | What::Zield | What::Pause => vec![],
            What::Post | What::Call | What::Raise => self.begin_another(what),
            What::If | What::While | What::For | What::Either | What::Atomic | What::Section => {
                self.compound(what, depth)
            }
            What::Assert => vec![Stmt::Assert(self.check())],
            What::Assume => vec![Stmt::Assume(self.check())],
            What::Await => {
                // One that reads no global is never freed.
                let condition = if self.rng.once_in(3) { self.condition(false) } else { self.check() };
                if condition.reads_global() { vec![Stmt::Await(condition)] } else { vec![] }
            }
            What::Stray => vec![Stmt::Unlock(self.rng.below(self.program.locks))],
            What::Return if depth < 2 => {
                let result = self.program.procs[self.current].result;
                vec![Stmt::Return(result.map(|ty| self.fitting(ty)))]
            }
            What::Return | What::Skip => vec![Stmt::Skip],
        }
    }

    /// A point, now and then in front of a wait.
    fn maybe_waiting(&mut self, point: Stmt) -> Block {
        let mut made = vec![point];
        if self.rng.once_in(5) {
            let what =
                if self.program.locks > 0 && self.rng.once_in(2) { What::Section } else { What::Await };
            made.extend(self.statement(what, 1));
        }
        made
    }

    fn begin_another(&mut self, what: What) -> Block {
        if let What::Raise = what {
            let line = self.rng.below(self.program.lines.len());
            let handler = self.program.lines[line].handler;
            let fits = handler > self.current && self.afford_task(handler);
            return if fits { vec![Stmt::Raise(line)] } else { vec![] };
        }
        let first = self.program.buffers.len().max(self.current + 1);
        if first >= self.program.procs.len() {
            return vec![];
        }
        let proc = self.rng.within(first, self.program.procs.len() - 1);
        if let What::Call = what {
            let into = self.program.procs[proc].result.and_then(|ty| self.receiver(ty));
            let call = Stmt::Call { proc, args: self.arguments(proc), into };
            let is_point = |stmt: &Stmt| matches!(stmt, Stmt::Yield | Stmt::Zield | Stmt::Pause);
            // Nothing that yields is called inside `atomic`.
            let fits =
                !(self.atomic && self.program.somewhere(&call, &is_point)) && self.afford(self.costs[proc]);
            return if fits { vec![call] } else { vec![] };
        }
        if self.program.procs[proc].result.is_some() || !self.afford_task(proc) {
            return vec![];
        }
        let levels = self.program.levels.len();
        let level = if self.rng.once_in(3) { None } else { Some(self.rng.below(levels)) };
        vec![self.post(proc, level)]
    }

    /// Where a result goes, if anywhere.
    fn receiver(&mut self, ty: Type) -> Option<Place> {
        let is_bool = ty == Type::Bool;
        let mut places = self.places(|ty| (ty == Type::Bool) == is_bool, true);
        places.retain(|place| !matches!(place, Place::Element(..)));
        if places.is_empty() || self.rng.once_in(4) { None } else { Some(self.rng.pick(&places)) }
    }

    fn afford_task(&mut self, proc: usize) -> bool {
        let Budget { tasks, points } = self.costs[proc];
        self.afford(Budget { tasks: tasks + 1, points })
    }

    pub fn post(&mut self, proc: usize, level: Option<usize>) -> Stmt {
        Stmt::Post { proc, args: self.arguments(proc), level }
    }

    fn arguments(&mut self, proc: usize) -> Vec<Expr> {
        let types = self.program.procs[proc].locals[..self.program.procs[proc].params].to_vec();
        types.into_iter().map(|ty| self.fitting(ty)).collect()
    }

    fn compound(&mut self, what: What, depth: usize) -> Block {
        let depth = depth - 1;
        match what {
            What::If => {
                let condition = self.condition(true);
                let yes = self.block(2, depth);
                let no = if self.rng.once_in(2) { self.block(2, depth) } else { vec![] };
                vec![Stmt::If(condition, yes, no)]
            }
            What::Either => {
                let branches = (0..self.rng.within(2, 3)).map(|_| self.block(1, depth)).collect();
                vec![Stmt::Either(branches)]
            }
            What::While => {
                let counter = self.new_counter();
                self.times *= 2;
                let mut body = self.block(2, depth);
                self.times /= 2;
                body.push(Stmt::Assign(Place::Local(counter), binary(Op::Add, v(counter), int(1))));
                let mut condition = binary(Op::Lt, v(counter), int(2));
                if self.rng.once_in(2) {
                    condition = binary(Op::And, condition, self.condition(true));
                }
                vec![Stmt::Assign(Place::Local(counter), int(0)), Stmt::While(condition, body)]
            }
            What::For => {
                let counter = self.new_counter();
                self.times *= 2;
                self.around.push(counter);
                let body = self.block(2, depth);
                self.around.pop();
                self.times /= 2;
                let lo = self.rng.below(2) as i32;
                vec![Stmt::For { local: counter, lo, hi: lo + self.rng.below(2) as i32, body }]
            }
            What::Atomic => {
                let outer = std::mem::replace(&mut self.atomic, true);
                let body = self.block(3, depth);
                self.atomic = outer;
                vec![Stmt::Atomic(body)]
            }
            What::Section => {
                let lock = self.rng.below(self.program.locks);
                let mut section = vec![Stmt::Lock(lock)];
                section.extend(self.block(3, depth));
                if !self.rng.once_in(8) {
                    section.push(Stmt::Unlock(lock));
                }
                section
            }
            _ => unreachable!("it is a simple statement"),
        }
    }

    fn new_local(&mut self, ty: Type) -> usize {
        self.locals.push(ty);
        self.locals.len() - 1
    }

    fn new_counter(&mut self) -> usize {
        let counter = self.new_local(Type::Int);
        self.counters.push(counter);
        counter
    }

    fn assign(&mut self) -> Block {
        let locals = self.rng.once_in(6);
        let places = self.places(|_| true, locals);
        let place = self.rng.pick(&places);
        let ty = self.type_of(&place);
        vec![Stmt::Assign(place, self.fitting(ty))]
    }

    /// A local of a type, an old one if there is one.
    fn local_for(&mut self, ty: Type) -> usize {
        let old = (self.program.procs[self.current].params..self.locals.len())
            .find(|i| !self.counters.contains(i) && (self.locals[*i] == Type::Bool) == (ty == Type::Bool));
        old.unwrap_or_else(|| self.new_local(if ty == Type::Bool { Type::Bool } else { Type::Int }))
    }

    fn read_into_local(&mut self) -> Block {
        let places = self.places(|_| true, false);
        let place = self.rng.pick(&places);
        let local = self.local_for(self.type_of(&place));
        vec![Stmt::Assign(Place::Local(local), Expr::Read(place))]
    }

    /// Reads a global; after a point, if one can be afforded, writes it or checks that it is the same.
    fn read_and_later(&mut self, update: bool) -> Block {
        let places = self.places(|ty| ty != Type::Bool, false);
        if places.is_empty() {
            return vec![];
        }
        let place = self.rng.pick(&places);
        let ty = self.type_of(&place);
        let local = self.new_local(Type::Int);
        let mut made = vec![Stmt::Assign(Place::Local(local), Expr::Read(place.clone()))];
        if !self.is_implicit() && self.afford_point() {
            made.push(if self.rng.once_in(2) { Stmt::Yield } else { Stmt::Zield });
        }
        made.push(if update {
            let value = self.wrapped(binary(Op::Add, v(local), int(1)), ty);
            Stmt::Assign(place, value)
        } else {
            Stmt::Assert(binary(Op::Eq, v(local), Expr::Read(place)))
        });
        made
    }
}
