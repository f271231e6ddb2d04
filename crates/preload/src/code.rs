//! Code of the program that the host has looked at: it knows symbols and lines, which nobody here does.

use std::ops::Range;

use caissa_wire::Setup;

use crate::modules::{Ranges, Returns, Sorted};

/// Code of which the host has said something.
pub(crate) struct KnownCode {
    /// Where the files lie that are there from the beginning.
    pub(crate) files: Vec<Range<usize>>,
    pub(crate) spins: Ranges,
    /// Code by which they do so, and others too.
    pub(crate) relaxes: Ranges,
    /// Instructions by which tasks say that they wait.
    pub(crate) pauses: Ranges,
    /// Atomic accesses that are no points.
    pub(crate) private: Returns,
    /// The program is written in Rust: keys are made by its library, and what is done once by the unwinder.
    pub(crate) of_rust: bool,
    /// Functions of Rust's library that access no data but its own.
    own_functions: Sorted,
    /// What threads written in Rust run at most, beside the library's own.
    pub(crate) bodies: Ranges,
    /// Where tasks are not preempted.
    pub(crate) sealed: Ranges,
    /// Where only they are, if that was said.
    pub(crate) open: Option<Ranges>,
}

impl KnownCode {
    /// Whether an access of data is one of the program's own, and not of Rust's library for itself.
    #[inline]
    pub(crate) fn is_programs(&self, pc: usize) -> bool {
        !self.own_functions.contain_call(pc)
    }

    pub(crate) fn of(setup: &Setup) -> KnownCode {
        let modules = crate::modules::all();
        KnownCode {
            files: modules.iter().map(|module| module.from as usize..module.to as usize).collect(),
            spins: Ranges::of(&modules, setup.spins.iter()),
            relaxes: Ranges::of(&modules, setup.relaxes.iter()),
            pauses: Ranges::of(&modules, setup.pauses.iter()),
            private: Returns::of(&modules, &setup.private),
            of_rust: !setup.bodies.is_empty(),
            own_functions: Sorted::of(&modules, setup.own_functions.iter()),
            bodies: Ranges::of(&modules, setup.bodies.iter()),
            sealed: Ranges::of(&modules, setup.seals.iter().flat_map(|seals| &seals.inside)),
            open: setup
                .seals
                .as_ref()
                .and_then(|seals| seals.outside.as_ref())
                .map(|code| Ranges::of(&modules, code.iter())),
        }
    }
}
