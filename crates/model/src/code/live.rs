//! Which locals may still be read: what a task has left behind does not tell states apart.

use std::sync::Arc;

use super::{Ex, Instr, ProcCode, Target};

/// Procedures that are larger, in instructions times locals, are not looked at: all of their locals count.
const MAX_SIZE: usize = 1 << 24;

/// For each instruction the slots of its frame that may be read from there on. A map is one of them or none, as a whole.
pub(super) fn analyse(instrs: &[Instr], procs: &[ProcCode]) -> Vec<Arc<[u32]>> {
    let none: Arc<[u32]> = Arc::new([]);
    let mut live = vec![none; instrs.len()];
    for (number, proc) in procs.iter().enumerate() {
        let end = procs.get(number + 1).map_or(instrs.len(), |next| next.entry as usize);
        let (range, size) = (proc.entry as usize..end, proc.frame.len());
        if range.len().saturating_mul(size) > MAX_SIZE {
            let all: Arc<[u32]> = (0..size as u32).collect();
            range.for_each(|at| live[at] = Arc::clone(&all));
        } else {
            analyse_proc(instrs, range, size, &mut live);
        }
    }
    live
}

fn analyse_proc(instrs: &[Instr], range: std::ops::Range<usize>, size: usize, live: &mut [Arc<[u32]>]) {
    let maps = maps(&instrs[range.clone()], size);
    let mut sets = vec![vec![false; size]; range.len() + 1];
    let mut changed = true;
    while changed {
        changed = false;
        for at in range.clone().rev() {
            let mut set = after(&instrs[at], at, &range, &sets);
            if let Some((slot, false)) = written(&instrs[at]) {
                set[slot as usize] = false;
            }
            let mut reads = |slot: u32, is_map: bool| {
                let all = if is_map { maps[slot as usize].clone() } else { slot..slot + 1 };
                all.for_each(|slot| set[slot as usize] = true);
            };
            each_expr(&instrs[at], &mut |ex| ex.locals(&mut reads));
            if let Some((slot, true)) = written(&instrs[at]) {
                // The others of the map stay.
                reads(slot, true);
            }
            let here = &mut sets[at - range.start];
            if *here != set {
                *here = set;
                changed = true;
            }
        }
    }
    for at in range.clone() {
        let set = &sets[at - range.start];
        live[at] = (0..size as u32).filter(|&slot| set[slot as usize]).collect();
    }
}

/// What is live behind an instruction.
fn after(instr: &Instr, at: usize, range: &std::ops::Range<usize>, sets: &[Vec<bool>]) -> Vec<bool> {
    let set = |at: usize| &sets[at - range.start];
    match instr {
        Instr::Jump(to) => set(*to as usize).clone(),
        Instr::JumpIfNot(_, to) => {
            set(at + 1).iter().zip(set(*to as usize)).map(|(&one, &other)| one || other).collect()
        }
        Instr::Return(_) | Instr::NoResult => vec![false; sets[0].len()],
        _ => set(at + 1).clone(),
    }
}

/// The slots of each map, by its first slot: as far as the next local that is used.
fn maps(instrs: &[Instr], size: usize) -> Vec<std::ops::Range<u32>> {
    let mut starts = vec![false; size + 1];
    for instr in instrs {
        each_expr(instr, &mut |ex| ex.locals(&mut |slot, _| starts[slot as usize] = true));
        if let Some((slot, _)) = written(instr) {
            starts[slot as usize] = true;
        }
    }
    (0..size)
        .map(|slot| {
            let end = (slot + 1..size).find(|&next| starts[next]).unwrap_or(size);
            slot as u32..end as u32
        })
        .collect()
}

/// The local that an instruction writes: its first slot, and whether it is a map.
fn written(instr: &Instr) -> Option<(u32, bool)> {
    let target = match instr {
        Instr::Set(target, _) | Instr::Choose(target, ..) => target,
        Instr::Call { result: Some(target), .. } => target,
        _ => return None,
    };
    (!target.is_global).then_some((target.slot, target.index.is_some()))
}

fn each_expr(instr: &Instr, f: &mut impl FnMut(&Ex)) {
    let index = |target: &Target, f: &mut dyn FnMut(&Ex)| {
        if let Some(index) = &target.index {
            f(index);
        }
    };
    match instr {
        Instr::Set(target, value) => {
            index(target, f);
            f(value);
        }
        Instr::Choose(target, lo, hi) => {
            index(target, f);
            f(lo);
            f(hi);
        }
        Instr::Assume(ex) | Instr::Assert(ex, _) | Instr::Await(ex) | Instr::JumpIfNot(ex, _) => f(ex),
        Instr::Lock(target) | Instr::Unlock(target) => index(target, f),
        Instr::Call { args, result, .. } => {
            args.iter().for_each(&mut *f);
            if let Some(target) = result {
                index(target, f);
            }
        }
        Instr::Return(Some(ex)) => f(ex),
        Instr::Post { args, .. } => args.iter().for_each(&mut *f),
        Instr::Return(None)
        | Instr::NoResult
        | Instr::Jump(_)
        | Instr::Yield
        | Instr::Zield
        | Instr::Pause
        | Instr::Raise(_)
        | Instr::Poll => {}
    }
}
