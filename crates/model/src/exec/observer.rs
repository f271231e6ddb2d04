//! Sees what tasks do to globals: tells the core for classes and races, and writes it down for traces.

use caissa_core::class::Access;
use caissa_core::{Execution, Note, ObjectId, Op, OpKind, Source, TaskId};

use crate::code::{Code, Instr};
use crate::machine::{Task, Watch};

/// What one statement has done, while a trace is written.
#[derive(Default)]
struct Line {
    pc: Option<u32>,
    effects: Vec<String>,
}

pub(super) struct Observer<'a> {
    code: &'a Code,
    execution: &'a mut Execution,
    places: &'a [Source],
    holders: &'a mut [Option<TaskId>],
    pc: u32,
    raced: bool,
    traced: bool,
    line: Line,
    /// The trace already has an event for the statement that is written down next: the point before it.
    at_point: bool,
}

impl<'a> Observer<'a> {
    pub(super) fn new(
        code: &'a Code,
        execution: &'a mut Execution,
        places: &'a [Source],
        holders: &'a mut [Option<TaskId>],
        at_point: bool,
    ) -> Observer<'a> {
        let traced = execution.is_traced();
        let line = Line::default();
        Observer { code, execution, places, holders, pc: 0, raced: false, traced, line, at_point }
    }

    /// The task has stopped.
    pub(super) fn end(mut self, _task: &Task) {
        self.write_line();
    }

    /// A value is chosen by the next instruction.
    pub(super) fn chooses(&mut self, pc: u32, value: i32) {
        self.pc = pc;
        if self.traced {
            // The choice is an event of its own, which tells the value.
            self.line.effects.push(format!("chose {value}"));
            let text = self.code.program.source.excerpt(self.code.spans[pc as usize]);
            let note = Note::Did(format!("{text}: {value}"));
            self.execution.note(|| note);
        }
    }

    fn touch(&mut self, slot: u32, access: Access) {
        let index = slot as usize;
        if self.code.plain[index] {
            let source = self.places[self.pc as usize];
            if let Err(race) = self.execution.access(index, access == Access::Write, source) {
                self.execution.end_by_race(race);
                self.raced = true;
            }
        } else {
            self.execution.touch(index, access);
        }
    }

    #[cold]
    fn write_line(&mut self) {
        let Some(pc) = self.line.pc.take() else { return };
        let mut text = self.code.program.source.excerpt(self.code.spans[pc as usize]);
        if !self.line.effects.is_empty() {
            text = format!("{text}  [{}]", self.line.effects.join(", "));
        }
        self.line.effects.clear();
        if !std::mem::take(&mut self.at_point) {
            let op = Op::new(OpKind::Statement, ObjectId(pc));
            self.execution.aside(op, self.places[pc as usize]);
        }
        self.execution.note(|| Note::Did(text));
    }

    #[cold]
    fn local_effect(&mut self, slot: u32, to: i32) {
        let effect = self.code.local_value(self.pc, slot, to);
        // Those that the program has not declared say nothing to whoever reads it.
        if !effect.starts_with('#') {
            self.effect(effect);
        }
    }

    fn effect(&mut self, text: String) {
        if !self.line.effects.contains(&text) {
            self.line.effects.push(text);
        }
    }
}

impl Watch for Observer<'_> {
    #[inline]
    fn read(&mut self, slot: u32, value: i32) {
        if value == 0 && matches!(self.code.instrs[self.pc as usize], Instr::Poll) {
            // To look at a line that is low orders nothing.
            return self.execution.touch_class(slot as usize, Access::Read);
        }
        self.touch(slot, Access::Read);
        let is_quiet = |instr: &Instr| matches!(instr, Instr::Poll | Instr::Lock(_) | Instr::Unlock(_));
        if self.traced && !is_quiet(&self.code.instrs[self.pc as usize]) {
            let effect = format!("{} = {}", self.code.slot_name(slot), self.code.slot_value(slot, value));
            self.effect(effect);
        }
    }

    #[inline]
    fn read_in_vain(&mut self, slot: u32, value: i32) {
        if self.code.plain[slot as usize] {
            return self.read(slot, value);
        }
        // Whether a task that is blocked has tried makes no difference: it orders nothing.
        self.execution.touch_class(slot as usize, Access::Read);
        if self.traced && !matches!(self.code.instrs[self.pc as usize], Instr::Lock(_)) {
            let effect = format!("{} = {}", self.code.slot_name(slot), self.code.slot_value(slot, value));
            self.effect(effect);
        }
    }

    #[inline]
    fn write_local(&mut self, slot: u32, _: i32, to: i32) {
        if self.traced {
            self.local_effect(slot, to);
        }
    }

    #[inline]
    fn write(&mut self, slot: u32, from: i32, to: i32) {
        self.touch(slot, Access::Write);
        match self.code.instrs[self.pc as usize] {
            Instr::Lock(_) => self.holders[slot as usize] = Some(self.execution.current()),
            Instr::Unlock(_) => self.holders[slot as usize] = None,
            _ => {}
        }
        if self.traced {
            let (name, code) = (self.code.slot_name(slot), self.code);
            let (from, to) = (code.slot_value(slot, from), code.slot_value(slot, to));
            // What it read there is said by that, too.
            self.line.effects.retain(|effect| *effect != format!("{name} = {from}"));
            self.line.effects.push(format!("{name}: {from} -> {to}"));
            self.line.pc.get_or_insert(self.pc);
        }
    }

    #[inline]
    fn returns_to(&mut self, pc: u32) {
        self.pc = pc;
    }

    #[inline]
    fn step(&mut self, pc: u32) -> bool {
        if self.raced {
            return false;
        }
        self.pc = pc;
        if self.traced {
            self.write_line();
            self.line.effects.clear();
            if self.code.is_statement(pc) {
                self.line.pc = Some(pc);
            }
        }
        true
    }
}
