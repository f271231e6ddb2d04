//! The symbol tables of a file: which function and which variable is at an address.
//!
//! Symbols for the linker and for the dynamic linker are taken together; a stripped file has only the latter. Thread-local variables are left
//! out, since they have no address in the file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use object::{Object as _, ObjectSymbol as _, SymbolKind};

use super::names;

/// Functions and variables by address.
pub(super) struct SymbolTable {
    functions: Spans,
    variables: Spans,
    /// Crates of Rust's that functions speak of, by how they are called: what those are told apart by.
    crates: BTreeMap<String, BTreeSet<String>>,
}

impl SymbolTable {
    pub(super) fn of(file: &object::File<'_>) -> SymbolTable {
        let (mut functions, mut variables) = (Vec::new(), Vec::new());
        let mut crates: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            let kind = match symbol.kind() {
                SymbolKind::Text => &mut functions,
                SymbolKind::Data => &mut variables,
                _ => continue,
            };
            let (start, size) = (symbol.address(), symbol.size());
            if size == 0 || symbol.is_undefined() {
                continue;
            }
            if let Ok(name) = symbol.name()
                && let Some(end) = start.checked_add(size)
            {
                kind.push((name_of(name), start..end));
                for (name, apart) in names::crates_of(name) {
                    if !crates.get(name).is_some_and(|known| known.contains(apart)) {
                        crates.entry(name.to_owned()).or_default().insert(apart.to_owned());
                    }
                }
            }
        }
        SymbolTable { functions: Spans::new(functions), variables: Spans::new(variables), crates }
    }

    /// So many crates are called this; none where that is not known.
    pub(super) fn crates_called(&self, name: &str) -> usize {
        self.crates.get(name).map_or(0, BTreeSet::len)
    }

    /// The function that an instruction belongs to.
    pub(super) fn function(&self, address: u64) -> Option<&str> {
        self.functions.at(address).map(|(name, _)| name)
    }

    /// The name with its scopes of the function that an instruction belongs to, if that is the one with the name `plain`.
    pub(super) fn full_name(&self, address: u64, plain: &str) -> Option<&str> {
        self.function(address).filter(|name| names::have_same_end(name, plain))
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = (&str, &Range<u64>)> {
        self.functions.all.iter().map(|(name, range)| (name.as_str(), range))
    }

    /// The variable that an address belongs to, and how far into it that is.
    pub(super) fn variable(&self, address: u64) -> Option<(&str, u64)> {
        self.variables.at(address).map(|(name, range)| (name, address - range.start))
    }
}

/// A symbol's name as the source has it: without version (`environ@GLIBC_2.2.5`) and without what compilers append to tell copies and
/// statics apart (`push.constprop.0`, `counter.1`). clang puts the function before a static, `main.counter`, which says more.
fn name_of(symbol: &str) -> String {
    let unversioned = symbol.split_once('@').map_or(symbol, |(name, _)| name);
    let compilers = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_digit())
            || ["constprop", "isra", "part", "cold", "llvm", "lto_priv"].contains(&part)
    };
    let parts = unversioned.split('.').enumerate();
    let name: Vec<&str> =
        parts.take_while(|&(index, part)| index == 0 || !compilers(part)).map(|(_, part)| part).collect();
    names::demangle(&name.join("."))
}

/// Named ranges of addresses, which can overlap.
struct Spans {
    /// Ascending by beginning; of those that begin together the best comes last.
    all: Vec<(String, Range<u64>)>,
    /// For each, the furthest end up to there.
    reach: Vec<u64>,
}

impl Spans {
    fn new(mut all: Vec<(String, Range<u64>)>) -> Spans {
        // The smaller, then the one with fewer underscores in front, is what people mean.
        let reserved = |name: &str| name.bytes().take_while(|&byte| byte == b'_').count();
        all.sort_by(|(a, at), (b, bt)| {
            let first = at.start.cmp(&bt.start).then(bt.end.cmp(&at.end));
            first.then(reserved(b).cmp(&reserved(a))).then(b.cmp(a))
        });
        all.dedup();
        let mut furthest = 0;
        let reach = all.iter().map(|(_, range)| {
            furthest = range.end.max(furthest);
            furthest
        });
        Spans { reach: reach.collect(), all }
    }

    /// The best of those that cover an address.
    fn at(&self, address: u64) -> Option<(&str, &Range<u64>)> {
        let begun = self.all.partition_point(|(_, range)| range.start <= address);
        let candidates = (0..begun).rev().take_while(|&index| self.reach[index] > address);
        let mut covering =
            candidates.map(|index| &self.all[index]).filter(|(_, range)| range.contains(&address));
        covering.next().map(|(name, range)| (name.as_str(), range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_overlapping_symbols_the_innermost_is_meant() {
        let span = |name: &str, range: Range<u64>| (name.to_owned(), range);
        let spans = Spans::new(vec![
            span("all", 10..50),
            span("__first", 10..14),
            span("first", 10..14),
            span("late", 40..44),
        ]);
        let at = |address| spans.at(address).map(|(name, _)| name);
        assert_eq!(at(9), None);
        assert_eq!(at(10), Some("first"));
        assert_eq!(at(14), Some("all"));
        assert_eq!(at(43), Some("late"));
        assert_eq!(at(49), Some("all"));
        assert_eq!(at(50), None);
    }

    #[test]
    fn names_lose_what_compilers_append() {
        for (symbol, name) in [
            ("push.constprop.0", "push"),
            ("counter.1", "counter"),
            ("main.counter", "main.counter"),
            ("environ@@GLIBC_2.2.5", "environ"),
            ("_ZN2ns4pushEi.cold", "ns::push(int)"),
            ("f", "f"),
        ] {
            assert_eq!(name_of(symbol), name);
        }
    }
}
