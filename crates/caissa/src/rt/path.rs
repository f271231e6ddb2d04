//! Paths of functions: what a user calls a function or module, and what backtraces call functions.
//!
//! Backtraces give names in several forms, by how symbols were mangled: `a::queue::Queue<T>::push`, `<a::queue::Queue<u8>>::push`,
//! `<a::queue::Queue<T> as a::Put>::put`, `b::<impl a::Put for b::Stack>::put`, `a::make::<u8>`, each perhaps followed by
//! `::{{closure}}` or `::{closure#0}`. Type parameters and closures do not count. A function of an `impl` is known by the path of its
//! type; by the module that the `impl` stands in, where the name tells it; and by the trait, if at least the trait itself is named:
//! the module of a trait does not have the implementations in it.
//!
//! Not seen: by which path something is re-exported; functions of types that have no path (slices, tuples) other than by their trait.

/// A path by which functions are selected: of a function, a type, a trait or a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path(Vec<String>);

impl Path {
    /// Reads what a user wrote; type parameters are ignored. `None` if it is not the path of something in a crate.
    pub(crate) fn new(text: &str) -> Option<Path> {
        let pieces = pieces(text.trim());
        let path: Vec<String> = pieces.iter().filter_map(|piece| segment(piece)).map(str::to_owned).collect();
        let is_name = |segment: &String| {
            let mut letters = segment.chars();
            let begins = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
            begins && letters.all(|c| c.is_alphanumeric() || c == '_')
        };
        let of_a_crate = !["crate", "self", "super", "Self"].contains(&path.first()?.as_str());
        (of_a_crate && path.len() == pieces.len() && path.iter().all(is_name)).then_some(Path(path))
    }

    /// Whether a function that backtraces call so is this, or lies within it.
    pub(crate) fn covers(&self, function: &str) -> bool {
        let Names { by_type, by_trait, by_module, .. } = Names::of(function);
        let begins = |path: &[&str]| path.len() >= self.0.len() && self.0.iter().eq(&path[..self.0.len()]);
        begins(&by_type)
            || begins(&by_module)
            || by_trait.is_some_and(|(path, own)| self.0.len() >= own && begins(&path))
    }
}

/// Whether a function's name in a backtrace comes without its path.
pub(crate) fn is_bare(function: &str) -> bool {
    !function.starts_with('<') && pieces(function).len() < 2
}

/// The paths that a function is known by.
#[derive(Debug, Default)]
struct Names<'a> {
    by_type: Vec<&'a str>,
    /// With how many of its segments are the trait's own path.
    by_trait: Option<(Vec<&'a str>, usize)>,
    by_module: Vec<&'a str>,
    /// The name does not tell where the `impl` stands.
    in_no_module: bool,
}

impl<'a> Names<'a> {
    fn of(function: &'a str) -> Names<'a> {
        let pieces = pieces(function);
        let mut names = Names::default();
        for (index, piece) in pieces.iter().enumerate() {
            let inside = piece.strip_prefix('<').and_then(|piece| piece.strip_suffix('>'));
            let implementation = inside.and_then(|inside| inside.strip_prefix("impl "));
            if let Some(text) = implementation {
                match split(text, " for ") {
                    Some((of_trait, of_type)) => names.implement(of_type, Some(of_trait)),
                    None => names.implement(text, None),
                }
            } else if let (Some(text), 0) = (inside, index) {
                match split(text, " as ") {
                    Some((of_type, of_trait)) => names.implement(of_type, Some(of_trait)),
                    None => names.implement(text, None),
                }
            } else if let Some(segment) = segment(piece) {
                names.push(segment);
            }
            if inside.is_some() && index == 0 {
                names.in_no_module = true;
            }
        }
        names
    }

    /// What follows is a function of this type, perhaps one that a trait asks for.
    fn implement(&mut self, of_type: &'a str, of_trait: Option<&'a str>) {
        self.by_type = path_of_type(of_type);
        self.by_trait = of_trait.map(path_of_type).map(|path| {
            let own = path.len();
            (path, own)
        });
    }

    fn push(&mut self, segment: &'a str) {
        if !self.in_no_module {
            self.by_module.push(segment);
        }
        if !self.by_type.is_empty() {
            self.by_type.push(segment);
        }
        if let Some((path, _)) = &mut self.by_trait {
            path.push(segment);
        }
    }
}

/// The path of a type or trait; empty if it has none.
fn path_of_type(text: &str) -> Vec<&str> {
    let mut text = text.trim();
    let marks = ["&", "*const ", "*mut ", "mut ", "dyn "];
    while let Some(rest) = marks.iter().find_map(|mark| text.strip_prefix(mark)) {
        text = rest.trim_start();
    }
    let text = split(text, " + ").map_or(text, |(first, _)| first);
    let has_path = text.starts_with(|c: char| c.is_alphabetic() || c == '_') && !text.starts_with("fn(");
    if has_path { pieces(text).into_iter().filter_map(segment).collect() } else { Vec::new() }
}

/// A part of a path without type parameters. `None` for type parameters alone and for closures.
fn segment(piece: &str) -> Option<&str> {
    let name = piece.split('<').next().unwrap_or_default();
    (!name.is_empty() && !name.starts_with('{')).then_some(name)
}

/// The parts of a path, as `::` divides it outside of all brackets.
fn pieces(path: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = path;
    while let Some((piece, after)) = split(rest, "::") {
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// What stands before and after a separator that is in no brackets.
fn split<'a>(text: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let mut depth = 0;
    let mut last = b' ';
    for (index, byte) in text.bytes().enumerate() {
        if depth == 0 && text.as_bytes()[index..].starts_with(separator.as_bytes()) {
            return Some((&text[..index], &text[index + separator.len()..]));
        }
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            // An arrow is no bracket.
            b'>' if last == b'-' => {}
            b'>' | b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        last = byte;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn covered(function: &str, paths: &[&str], others: &[&str]) {
        let covers = |path: &str| Path::new(path).expect("a path").covers(function);
        for path in paths {
            assert!(covers(path), "`{path}` should cover `{function}`");
        }
        for path in others {
            assert!(!covers(path), "`{path}` should not cover `{function}`");
        }
    }

    #[test]
    fn functions_are_covered_by_whole_segments_of_their_path() {
        let paths = ["a", "a::queue", "a::queue::Queue", "a::queue::Queue<T>", "a::queue::Queue::push"];
        let others = ["a::que", "queue", "a::queue::Queue::pop", "a::queue::Queue::push::inner", "push"];
        for function in [
            "a::queue::Queue<T>::push",
            "<a::queue::Queue<u8>>::push",
            "<a::queue::Queue<alloc::vec::Vec<u8>>>::push::<u8>",
            "a::queue::Queue<T>::push::{{closure}}",
            "<a::queue::Queue<u32>>::push::{closure#0}::{closure#1}",
            "<a::queue::Queue<fn(u8) -> b::B>>::push",
        ] {
            covered(function, &paths, &others);
        }
        covered(
            "a::queue::nested::inner::<u8>",
            &["a::queue::nested", "a::queue::nested::inner"],
            &["a::inner"],
        );
        covered("core::ptr::drop_in_place<a::D>", &["core::ptr"], &["a", "a::D"]);
    }

    #[test]
    fn functions_of_traits_are_covered_by_their_type_and_by_the_whole_path_of_the_trait() {
        for function in [
            "<a::queue::Queue<T> as b::traits::Put>::put",
            "<&mut a::queue::Queue<u8> as b::traits::Put<u8>>::put",
        ] {
            let paths = ["a", "a::queue::Queue::put", "b::traits::Put", "b::traits::Put::put"];
            covered(function, &paths, &["b", "b::traits", "b::traits::Put::get", "a::queue::Queue::get"]);
        }
        let elsewhere = "c::glue::<impl b::Put for a::Queue<T>>::put";
        let paths = ["c::glue", "c::glue::put", "a::Queue::put", "b::Put::put"];
        covered(elsewhere, &paths, &["b", "c::put"]);
        covered("c::glue::<impl a::Queue>::put", &["c::glue", "a::Queue::put"], &["c::put"]);
        covered("<[T] as a::Put>::put", &["a::Put"], &["a", "T"]);
        covered("<alloc::vec::Vec<a::Q> as b::Put>::put", &["b::Put", "alloc::vec::Vec"], &["a", "b"]);
        covered("<dyn a::Put + core::marker::Send>::twice", &["a", "a::Put::twice"], &["core"]);
        covered("<(a::A, b::B) as c::C>::c", &["c::C"], &["a", "b"]);
        covered(
            "<fn() as core::ops::function::FnOnce<()>>::call_once",
            &["core::ops::function::FnOnce"],
            &["fn"],
        );
        let call =
            "<&dyn core::ops::function::Fn<(), Output = i32> + core::marker::Sync as a::Call<()>>::call";
        covered(call, &["a::Call::call", "core::ops::function::Fn"], &["core::marker"]);
    }

    #[test]
    fn names_without_a_path_are_told() {
        for name in ["push<u32>", "{closure#0}<u32>", "main", "call_once<fn(), a::B>"] {
            assert!(is_bare(name), "{name}");
        }
        for name in ["a::push", "<a::Queue<u8>>::push", "<impl a::B>::c"] {
            assert!(!is_bare(name), "{name}");
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in [
            "",
            "  ",
            "a::",
            "::a",
            "a::*",
            "my-crate::queue",
            "crate::queue",
            "a b",
            "self",
            "1",
            "a:b",
            "a::{{closure}}",
        ] {
            assert_eq!(Path::new(text), None, "{text:?}");
        }
        assert_eq!(Path::new(" a::B<T>::c "), Path::new("a::B::c"));
    }
}
