//! A sequential program as a model: text that can be read again.

use super::names::{Names, unmarked};
use crate::ir::{Program, Var};

/// Writes a program as a model. Names are made valid; nothing else is changed.
pub fn cai(program: &Program) -> String {
    let mut program = program.clone();
    let words: Vec<&str> = crate::syntax::keywords().collect();
    let mut names = Names::new('_', &words.join(" "));
    for name in program.levels.iter_mut().map(|level| &mut level.name) {
        rename(name, &mut names);
    }
    for list in &mut program.enums {
        rename(&mut list.name, &mut names);
        list.members.iter_mut().for_each(|member| rename(member, &mut names));
    }
    program.buffers.iter_mut().for_each(|buffer| rename(&mut buffer.name, &mut names));
    rename_all(&mut program.globals, &mut names);
    program.procs.iter_mut().for_each(|proc| rename(&mut proc.name, &mut names));
    for proc in &mut program.procs {
        rename_all(&mut proc.locals, &mut names.inside());
    }
    format!(
        "// Made by caissa from {}: a sequential program that goes wrong if and only if the model does within the bounds.\n{program}",
        program.source.name
    )
}

fn rename_all(vars: &mut [Var], names: &mut Names<'_>) {
    vars.iter_mut().for_each(|var| rename(&mut var.name, names));
}

fn rename(name: &mut String, names: &mut Names<'_>) {
    let valid = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut wanted: String = unmarked(name).chars().map(valid).collect();
    if wanted.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
        wanted.insert(0, 'v');
    }
    *name = names.take(wanted);
}
