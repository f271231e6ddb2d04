//! `caissa doctor`: what this machine has of what checking native programs takes, and how to get the rest.
//!
//! Everything is read from files of the system or asked of programs; nothing is changed. A finding is [`State::Missing`] if native programs
//! cannot be checked without it, [`State::Degraded`] if they can, but worse.

mod machine;
mod render;
mod system;
#[cfg(test)]
mod tests;
mod tools;

pub use render::render;

use machine::Machine;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub name: &'static str,
    /// How it is.
    pub state: State,
}

/// How something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// As it should be: what was found.
    Ok(String),
    /// It is needed and not there.
    Missing {
        /// What to do.
        remedy: String,
    },
    /// It is not needed, but not as it should be.
    Degraded {
        /// What is wrong, and what follows from it.
        problem: String,
        /// What to do.
        remedy: String,
    },
}

impl State {
    fn missing(remedy: impl Into<String>) -> State {
        State::Missing { remedy: remedy.into() }
    }

    fn degraded(problem: impl Into<String>, remedy: impl Into<String>) -> State {
        State::Degraded { problem: problem.into(), remedy: remedy.into() }
    }
}

/// Looks at this machine.
pub fn examine() -> Vec<Finding> {
    examine_machine(&Machine::this())
}

fn examine_machine(machine: &Machine) -> Vec<Finding> {
    let mut findings = vec![
        Finding { name: "system", state: system::system(machine) },
        Finding { name: "kernel", state: system::kernel(machine) },
        Finding { name: "fsgsbase", state: system::fsgsbase(machine) },
        Finding { name: "seccomp", state: system::seccomp(machine) },
        Finding { name: "memfd", state: system::memfd(machine) },
        Finding { name: "ptrace", state: system::ptrace(machine) },
        Finding { name: "fixed addresses", state: tools::fixed_addresses(machine) },
    ];
    findings.extend(tools::compilers(machine));
    findings.push(tools::debugger(machine));
    findings.extend(tools::rust(machine));
    findings
}
