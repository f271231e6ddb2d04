//! From gates to clauses (Tseitin, 1968): a variable for each gate, and clauses that say what it computes.
//!
//! Only gates that an asserted or assumed wire depends on get a variable, once. Both directions are said, as a gate may be asked for with
//! either sign later. A choice has the two clauses that follow from the others: where the branches agree, the condition does not matter.

use rustsat::types::Lit;

use super::gate::{Gate, Gates, Wire};
use super::{Interrupted, Sink};

const NONE: u32 = u32::MAX;

/// How many gates are done between two looks at whether to go on.
const STRIDE: u32 = 1 << 12;

/// Which gates have variables.
pub(super) struct Clauses {
    /// By gate; [`NONE`] if it has none yet.
    variables: Vec<u32>,
    next: u32,
    stack: Vec<u32>,
}

impl Clauses {
    pub(super) fn new() -> Clauses {
        Clauses { variables: Vec::new(), next: 0, stack: Vec::new() }
    }

    /// How many variables there are.
    pub(super) fn variables(&self) -> u32 {
        self.next
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.variables.capacity() * size_of::<u32>()) as u64
    }

    /// The literal of a wire that is not constant; says in clauses what it depends on, as far as that is not said already.
    pub(super) fn literal(
        &mut self,
        gates: &Gates,
        wire: Wire,
        sink: &mut dyn Sink,
    ) -> Result<Lit, Interrupted> {
        assert!(wire.as_constant().is_none(), "a constant has no literal");
        self.variables.resize(gates.len(), NONE);
        self.stack.clear();
        self.stack.push(wire.gate() as u32);
        let mut done = 0;
        while let Some(&gate) = self.stack.last() {
            let gate = gate as usize;
            if self.variables[gate] != NONE {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            match gates.gate(gate) {
                Gate::False => unreachable!("no gate has a constant input"),
                Gate::Free => (),
                Gate::And(a, b) | Gate::Xor(a, b) => self.need(&[a, b]),
                Gate::Mux(a, b, c) | Gate::Majority(a, b, c) => self.need(&[a, b, c]),
                Gate::All(start, count) => self.need(gates.inputs_of_all(start, count)),
            }
            if self.stack.len() > before {
                continue;
            }
            self.stack.pop();
            self.variables[gate] = self.next;
            self.next += 1;
            self.define(gates, gate, sink);
            done += 1;
            if done % STRIDE == 0 {
                sink.go_on()?;
            }
        }
        Ok(self.known(wire).expect("it was just given one"))
    }

    /// The literal of a wire, if its gate has a variable.
    pub(super) fn known(&self, wire: Wire) -> Option<Lit> {
        let variable = self.variables.get(wire.gate()).copied().filter(|&variable| variable != NONE)?;
        Some(Lit::new(variable, wire.is_negated()))
    }

    fn need(&mut self, inputs: &[Wire]) {
        for &wire in inputs {
            if self.variables[wire.gate()] == NONE {
                self.stack.push(wire.gate() as u32);
            }
        }
    }

    fn define(&self, gates: &Gates, gate: usize, sink: &mut dyn Sink) {
        let lit = |wire: Wire| Lit::new(self.variables[wire.gate()], wire.is_negated());
        let out = Lit::positive(self.variables[gate]);
        match gates.gate(gate) {
            Gate::False | Gate::Free => (),
            Gate::And(a, b) => {
                let (a, b) = (lit(a), lit(b));
                sink.clause(&[a, !out]);
                sink.clause(&[b, !out]);
                sink.clause(&[!a, !b, out]);
            }
            Gate::All(start, count) => {
                let inputs = gates.inputs_of_all(start, count);
                let mut long = Vec::with_capacity(inputs.len() + 1);
                for &wire in inputs {
                    sink.clause(&[lit(wire), !out]);
                    long.push(!lit(wire));
                }
                long.push(out);
                sink.clause(&long);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (lit(a), lit(b));
                sink.clause(&[a, b, !out]);
                sink.clause(&[!a, !b, !out]);
                sink.clause(&[!a, b, out]);
                sink.clause(&[a, !b, out]);
            }
            Gate::Mux(c, a, b) => {
                let (c, a, b) = (lit(c), lit(a), lit(b));
                sink.clause(&[!c, !a, out]);
                sink.clause(&[!c, a, !out]);
                sink.clause(&[c, !b, out]);
                sink.clause(&[c, b, !out]);
                sink.clause(&[!a, !b, out]);
                sink.clause(&[a, b, !out]);
            }
            Gate::Majority(a, b, c) => {
                let (a, b, c) = (lit(a), lit(b), lit(c));
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    sink.clause(&[!x, !y, out]);
                    sink.clause(&[x, y, !out]);
                }
            }
        }
    }
}
