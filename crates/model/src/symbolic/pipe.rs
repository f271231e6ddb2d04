//! Questions to an SMT-LIB 2 solver in another process, over its standard input and output.
//!
//! Any solver will do that reads commands as they come and understands `check-sat-assuming`: `z3 -in`, `cvc5 --incremental`. What is
//! assumed gets a name of its own, which is the portable way.
//!
//! The other process is not trusted: it may be missing, end, hang, say nonsense, close its output, or fill its standard error. All three
//! pipes are served by one loop that waits for whichever is ready and never blocks (`lines`), so there is no thread to be left behind.
//! After a trouble other than `unknown` the process is killed, and later questions have the same trouble. Processes that the solver
//! itself has started, if it is a script, are not killed; their pipes are closed.

mod lines;
mod reply;
#[cfg(test)]
mod tests;

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::decide::{Answer, Decide, Limits, Size, Trouble, value_unseen};
use super::smtlib::{Naming, Said, put};
use super::term::{Term, Terms};
use lines::Talk;

/// A solver at the other end of a pipe. It is killed on drop.
pub struct Pipe {
    talk: Talk,
    /// The time for one question, with what must be sent for it.
    deadline: Duration,
    limits: Limits,
    said: Said,
    /// Terms that have been assumed, and so have names.
    assumed: FxHashSet<Term>,
    /// The values of inputs, if they have been asked for since the last question.
    values: Option<FxHashMap<String, i32>>,
    /// The last trouble that cannot be mended.
    broken: Option<Trouble>,
    commands: u64,
}

impl Pipe {
    /// Starts a solver. The command is split at blanks; quotes keep them. `deadline` is the time for one question.
    pub fn start(command: &str, deadline: Duration, limits: Limits) -> Result<Pipe, Trouble> {
        let mut talk = Talk::start(command)?;
        talk.send("(set-option :produce-models true)\n(set-logic QF_BV)\n");
        Ok(Pipe {
            talk,
            deadline,
            limits,
            said: Said::new(Naming::Equated),
            assumed: FxHashSet::default(),
            values: None,
            broken: None,
            commands: 2,
        })
    }

    /// What can be told before anything is sent.
    fn ready(&self, terms: &Terms) -> Result<(), Trouble> {
        if let Some(trouble) = &self.broken {
            return Err(trouble.clone());
        }
        if self.limits.is_stopped() {
            return Err(Trouble::Stopped);
        }
        match self.limits.memory {
            Some(limit) if terms.bytes() + self.talk.bytes_waiting() > limit => {
                Err(Trouble::Memory { limit })
            }
            _ => Ok(()),
        }
    }

    /// Sends a command and takes its reply.
    fn ask(&mut self, command: &str) -> Result<String, Trouble> {
        self.talk.send(command);
        self.commands += 1;
        let reply = self.talk.reply(self.deadline, &self.limits.stop);
        reply.map_err(|trouble| self.give_up(trouble))
    }

    fn give_up(&mut self, trouble: Trouble) -> Trouble {
        self.talk.kill();
        self.broken = Some(trouble.clone());
        trouble
    }

    fn nonsense(&mut self, said: &str) -> Trouble {
        let trouble = self.talk.nonsense(said);
        self.give_up(trouble)
    }
}

impl Decide for Pipe {
    fn assert(&mut self, terms: &Terms, truth: Term) -> Result<(), Trouble> {
        self.ready(terms)?;
        let mut text = String::new();
        self.said.define(terms, truth, &|_| None, &mut text);
        text.push_str("(assert ");
        self.said.truth(terms, truth, &mut text);
        text.push_str(")\n");
        self.commands += 1;
        self.talk.send(&text);
        Ok(())
    }

    fn solve(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<Answer, Trouble> {
        self.ready(terms)?;
        let mut text = String::new();
        for &truth in assumptions {
            if self.assumed.insert(truth) {
                self.said.define(terms, truth, &|_| None, &mut text);
                let name = truth.index();
                put(&mut text, format_args!("(declare-fun a{name} () Bool)\n(assert (=> a{name} "));
                self.said.truth(terms, truth, &mut text);
                text.push_str("))\n");
                self.commands += 2;
            }
        }
        if assumptions.is_empty() {
            text.push_str("(check-sat)\n");
        } else {
            text.push_str("(check-sat-assuming (");
            for (at, truth) in assumptions.iter().enumerate() {
                put(&mut text, format_args!("{}a{}", if at == 0 { "" } else { " " }, truth.index()));
            }
            text.push_str("))\n");
        }
        self.values = None;
        let reply = self.ask(&text)?;
        match reply.as_str() {
            "sat" => Ok(Answer::Satisfiable),
            "unsat" => Ok(Answer::Unsatisfiable),
            "unknown" => Err(Trouble::Unknown { command: self.talk.command().to_owned() }),
            _ => Err(self.nonsense(&reply)),
        }
    }

    fn value(&mut self, terms: &Terms, input: Term) -> Result<i32, Trouble> {
        if let Some(trouble) = &self.broken {
            return Err(trouble.clone());
        }
        let number = terms.input_number(input).expect("only inputs have values") as usize;
        if self.said.names.get(number).is_none_or(String::is_empty) {
            return Ok(value_unseen(terms, input));
        }
        if self.values.is_none() {
            let reply = self.ask(&format!("(get-value ({}))\n", self.said.names.join(" ")))?;
            match reply::values(&reply) {
                Some(values) => self.values = Some(values),
                None => return Err(self.nonsense(&reply)),
            }
        }
        let name = &self.said.names[number];
        let value = self.values.as_ref().and_then(|values| values.get(name)).copied();
        let (lo, hi) = terms.interval(input);
        match value.filter(|value| (lo..=hi).contains(value)) {
            Some(value) => Ok(value),
            None => {
                let said = match value {
                    Some(value) => format!("{value} as the value of {name}"),
                    None => format!("no value of {name}"),
                };
                Err(self.nonsense(&said))
            }
        }
    }

    fn size(&self) -> Size {
        let inputs = self.said.names.iter().filter(|name| !name.is_empty());
        let variables = (inputs.count() + self.assumed.len()) as u64;
        Size { variables, clauses: self.commands + self.said.commands, bytes: self.talk.bytes_sent() }
    }
}
