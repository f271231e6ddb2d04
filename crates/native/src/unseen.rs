//! What hooks do not tell of: objects that were compiled without them, and instructions that nobody calls a hook for.
//!
//! Compilers call hooks for what the source says, not for what assembly in it does. Instructions by which a thread says that it waits in a loop are put
//! under control by the runtime, which has to know where they are; the others are told to the user.

use std::ops::Range;
use std::path::Path;

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, ObjectSymbolTable as _, RelocationTarget,
    SectionKind, SymbolKind,
};

/// What an instruction does that is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// It accesses memory atomically.
    Synchronises,
    /// It calls the system.
    CallsSystem,
    /// It reads a clock, or draws a random number.
    Differs,
}

impl Does {
    /// For a sentence, behind a place.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Does::Synchronises => {
                "assembly accesses memory atomically: it is no scheduling point, and orders nothing (use <stdatomic.h> or builtins of the compiler)"
            }
            Does::CallsSystem => "assembly calls the system, which is not seen (use syscall())",
            Does::Differs => {
                "an instruction reads the processor's clock or random numbers, which differ from run to run"
            }
        }
    }
}

/// What there is in a file of a program. Addresses are those in the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unseen {
    /// Source files of objects that were compiled without hooks.
    pub(crate) objects: Vec<String>,
    /// Instructions that nobody sees.
    pub(crate) instructions: Vec<(u64, Does)>,
    /// Instructions by which a thread says that it waits.
    pub(crate) pauses: Vec<Range<u64>>,
    /// Calls of hooks for atomic accesses, by where they return to; ascending.
    pub(crate) atomics: Vec<u64>,
}

impl Unseen {
    /// Reads an executable or a library; nothing is found in one that cannot be read.
    pub(crate) fn of(path: &Path) -> Unseen {
        let Ok(bytes) = std::fs::read(path) else { return Unseen::default() };
        let Ok(file) = object::File::parse(&*bytes) else { return Unseen::default() };
        let mut unseen = Unseen { objects: objects_without_hooks(&file), ..Unseen::default() };
        let hooks = Hooks::of(&file);
        for code in functions(&file) {
            unseen.look_at(&file, &hooks, &code);
        }
        unseen
    }

    fn look_at(&mut self, file: &object::File<'_>, hooks: &Hooks, code: &Range<u64>) {
        let holds = |section: &object::Section<'_, '_>| {
            section.kind() == SectionKind::Text
                && (section.address()..section.address() + section.size()).contains(&code.start)
        };
        let section = file.sections().find(holds);
        let data = section.and_then(|section| section.data_range(code.start, code.end - code.start).ok()?);
        let Some(data) = data else { return };
        let mut decoder = Decoder::with_ip(64, data, code.start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            let (at, end) = (instruction.ip(), instruction.next_ip());
            match what(&instruction) {
                Some(Found::Pause) => self.pauses.push(at..end),
                Some(Found::Unseen(does)) => self.instructions.push((at, does)),
                None if hooks.are_called_by(&instruction) => self.atomics.push(end),
                None => {}
            }
        }
    }
}

/// Where the hooks for atomic accesses are called: the slots that the loader puts their addresses into, and code that jumps there.
struct Hooks {
    slots: Vec<u64>,
    jumps: Vec<u64>,
}

/// How the names of hooks for atomic accesses begin.
const ATOMIC: &[u8] = b"__tsan_atomic";

impl Hooks {
    fn of(file: &object::File<'_>) -> Hooks {
        let symbols = file.dynamic_symbol_table();
        let is_hook = |relocation: &object::Relocation| match relocation.target() {
            RelocationTarget::Symbol(index) => {
                let symbol = symbols.as_ref().and_then(|symbols| symbols.symbol_by_index(index).ok());
                symbol.is_some_and(|symbol| symbol.name_bytes().is_ok_and(|name| name.starts_with(ATOMIC)))
            }
            _ => false,
        };
        let relocations = file.dynamic_relocations().into_iter().flatten();
        let mut slots: Vec<u64> =
            relocations.filter(|(_, relocation)| is_hook(relocation)).map(|(slot, _)| slot).collect();
        slots.sort_unstable();
        let mut hooks = Hooks { slots, jumps: Vec::new() };
        for section in
            file.sections().filter(|section| section.name().is_ok_and(|name| name.starts_with(".plt")))
        {
            let Ok(data) = section.data() else { continue };
            let mut decoder = Decoder::with_ip(64, data, section.address(), DecoderOptions::NONE);
            // A mark for indirect jumps may come before.
            let mut mark = None;
            for instruction in &mut decoder {
                if instruction.mnemonic() == Mnemonic::Jmp && hooks.uses_slot(&instruction) {
                    hooks.jumps.push(mark.unwrap_or(instruction.ip()));
                }
                mark = (instruction.mnemonic() == Mnemonic::Endbr64).then_some(instruction.ip());
            }
        }
        hooks.jumps.sort_unstable();
        hooks
    }

    fn uses_slot(&self, instruction: &Instruction) -> bool {
        instruction.is_ip_rel_memory_operand()
            && self.slots.binary_search(&instruction.ip_rel_memory_address()).is_ok()
    }

    fn are_called_by(&self, instruction: &Instruction) -> bool {
        instruction.mnemonic() == Mnemonic::Call
            && match instruction.op0_kind() {
                OpKind::NearBranch64 => self.jumps.binary_search(&instruction.near_branch_target()).is_ok(),
                OpKind::Memory => self.uses_slot(instruction),
                _ => false,
            }
    }
}

enum Found {
    Pause,
    Unseen(Does),
}

fn what(instruction: &Instruction) -> Option<Found> {
    let in_memory = || (0..2).any(|operand| instruction.op_kind(operand) == OpKind::Memory);
    Some(match instruction.mnemonic() {
        Mnemonic::Pause => Found::Pause,
        Mnemonic::Syscall | Mnemonic::Sysenter => Found::Unseen(Does::CallsSystem),
        Mnemonic::Rdtsc | Mnemonic::Rdtscp | Mnemonic::Rdrand | Mnemonic::Rdseed => {
            Found::Unseen(Does::Differs)
        }
        // It locks by itself.
        Mnemonic::Xchg if in_memory() => Found::Unseen(Does::Synchronises),
        // clang makes these itself, beside a hook.
        Mnemonic::Cmpxchg16b => return None,
        _ if instruction.has_lock_prefix() => Found::Unseen(Does::Synchronises),
        _ => return None,
    })
}

/// Where the functions of a file are, by its symbols: what lies between them need not be instructions.
fn functions(file: &object::File<'_>) -> Vec<Range<u64>> {
    let text = file
        .symbols()
        .chain(file.dynamic_symbols())
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0 && !symbol.is_undefined());
    let mut all: Vec<Range<u64>> =
        text.map(|symbol| symbol.address()..symbol.address().saturating_add(symbol.size())).collect();
    all.sort_by_key(|range| (range.start, range.end));
    // One has several names, or an entry in its middle.
    let mut apart: Vec<Range<u64>> = Vec::new();
    for range in all {
        match apart.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// The function by which an object that was compiled with hooks announces itself: gcc's, clang's.
const ANNOUNCERS: [&str; 2] = ["_sub_I_00099_0", "tsan.module_ctor"];
/// Objects that compilers add by themselves.
const TOOLCHAIN: [&str; 5] = ["crtstuff.c", "tsan_preinit.cpp", "libgcc2.c", "cpuinfo.c", "offloadstuff.c"];
/// How sources end.
const SOURCES: [&str; 9] = [".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".s", ".S", ".asm"];

/// The sources of objects that were compiled without hooks, by the symbols of the linker: each object's own come behind the name of its file.
fn objects_without_hooks(file: &object::File<'_>) -> Vec<String> {
    let mut objects: Vec<(String, bool)> = Vec::new();
    for symbol in file.symbols() {
        let Ok(name) = symbol.name() else { continue };
        match symbol.kind() {
            SymbolKind::File => objects.push((name.to_owned(), false)),
            SymbolKind::Text if ANNOUNCERS.iter().any(|announcer| name.starts_with(announcer)) => {
                if let Some((_, hooked)) = objects.last_mut() {
                    *hooked = true;
                }
            }
            _ => {}
        }
    }
    let is_source = |name: &str| SOURCES.iter().any(|end| name.ends_with(end)) && !TOOLCHAIN.contains(&name);
    let mut names: Vec<String> = objects
        .into_iter()
        .filter(|(name, hooked)| !hooked && is_source(name))
        .map(|(name, _)| name)
        .collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn built(sources: &[(&str, &str, &[&str])], compiler: &str) -> (Scratch, Unseen) {
        let scratch = Scratch::new();
        let mut link = vec![compiler.to_owned(), "-o".to_owned(), "program".to_owned(), "-shared".to_owned()];
        for (name, text, flags) in sources {
            scratch.write(name, text);
            let object = format!("{name}.o");
            let mut words = vec![compiler, "-c", "-fPIC", "-g", name, "-o", &object];
            words.extend_from_slice(flags);
            scratch.must_run(&words);
            link.push(object);
        }
        scratch.must_run(&link);
        let unseen = Unseen::of(&scratch.path().join("program"));
        (scratch, unseen)
    }

    const HOOKS: &[&str] = &["-fsanitize=thread"];

    #[test]
    fn objects_without_hooks_are_named() {
        for compiler in ["gcc", "clang"] {
            let (_scratch, unseen) = built(
                &[
                    ("seen.c", "int a; int f(void) { return ++a; }", HOOKS),
                    ("data.c", "int only_data = 3;", HOOKS),
                    ("unseen.c", "extern int a; int g(void) { return ++a; }", &[]),
                ],
                compiler,
            );
            assert_eq!(unseen.objects, ["unseen.c"], "{compiler}");
        }
    }

    #[test]
    fn instructions_that_nobody_tells_of_are_found() {
        let text = "int a;
void pauses(void) { __builtin_ia32_pause(); }
void adds(void) { __asm__ volatile(\"lock addl $1, %0\" : \"+m\"(a)); }
int swaps(int x) { __asm__ volatile(\"xchgl %0, %1\" : \"+r\"(x), \"+m\"(a)); return x; }
long calls(void) { long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(39L) : \"rcx\", \"r11\"); return r; }
long reads(void) { return __builtin_ia32_rdtsc(); }
int hooked(void) { return __atomic_fetch_add(&a, 1, __ATOMIC_SEQ_CST); }
int data(void) { return 0x90f390f3; }";
        for compiler in ["gcc", "clang"] {
            let (_scratch, unseen) = built(&[("code.c", text, HOOKS)], compiler);
            let does: Vec<Does> = unseen.instructions.iter().map(|&(_, does)| does).collect();
            let expected = [Does::Synchronises, Does::Synchronises, Does::CallsSystem, Does::Differs];
            assert_eq!(does, expected, "{compiler}");
            assert_eq!(unseen.pauses.len(), 1, "{compiler}: what looks like one is none");
            assert_eq!(unseen.pauses[0].end - unseen.pauses[0].start, 2);
        }
    }
}
