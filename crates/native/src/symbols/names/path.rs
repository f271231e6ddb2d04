//! A demangled name as a path.

/// What demanglers call a namespace without a name.
pub(in crate::symbols) const UNNAMED: &str = "(anonymous namespace)";

/// The path that a demangled name is about: without parameters, arguments of templates, return type and qualifiers.
pub(super) fn path_of(name: &str) -> Vec<String> {
    let mut path = PathReader { rest: name, path: Vec::new(), segment: String::new(), had_parameters: false };
    while !path.rest.is_empty() && path.step() {}
    path.end_segment();
    path.path
}

/// Reads a name from left to right.
struct PathReader<'a> {
    rest: &'a str,
    path: Vec<String>,
    segment: String,
    /// What follows now is `::` and more, or qualifiers.
    had_parameters: bool,
}

impl<'a> PathReader<'a> {
    /// Takes the next piece. False if what is left is no part of the path.
    fn step(&mut self) -> bool {
        if self.rest.starts_with("::") {
            self.rest = &self.rest[2..];
            self.end_segment();
            return true;
        }
        if self.segment.is_empty() && self.takes_operator() {
            return true;
        }
        let next = self.rest.chars().next().expect("something is left");
        match next {
            '<' => self.take_angles(),
            '(' => self.take_parentheses(),
            '{' => {
                let group = self.take_group();
                self.segment.push_str(group);
            }
            '[' => _ = self.take_group(),
            // A Rust type: a reference to the one that is meant.
            '&' | '*' if self.segment.is_empty() => self.rest = &self.rest[1..],
            // Before a space there was a return type, unless there were parameters: then come qualifiers.
            ' ' if self.had_parameters => return false,
            ' ' => {
                self.rest = &self.rest[1..];
                self.path.clear();
                self.segment.clear();
            }
            _ => {
                self.segment.push(next);
                self.rest = &self.rest[next.len_utf8()..];
            }
        }
        true
    }

    fn end_segment(&mut self) {
        self.had_parameters = false;
        if !self.segment.is_empty() {
            self.path.push(std::mem::take(&mut self.segment));
        }
    }

    /// `operator()`, `operator<`, `operator bool`: up to the parameters.
    fn takes_operator(&mut self) -> bool {
        let Some(symbol) = self.rest.strip_prefix("operator") else { return false };
        if symbol.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return false;
        }
        let begin = if symbol.starts_with("()") { 2 } else { 0 };
        let end = symbol[begin..].find('(').map_or(symbol.len(), |at| begin + at);
        let name = symbol[..end].split(" <").next().unwrap_or_default();
        self.segment = format!("operator{name}");
        self.rest = &symbol[end..];
        true
    }

    /// Arguments of a template, or at the beginning of a segment the type that a Rust function is for, or gcc's name of a lambda.
    fn take_angles(&mut self) {
        let group = self.take_group();
        let inside = group.get(1..group.len() - 1).unwrap_or("");
        if self.segment.is_empty() && group.starts_with("<lambda") {
            self.segment = group.to_owned();
        } else if self.segment.is_empty() && self.path.is_empty() {
            self.path = path_of(implementer(inside));
        }
    }

    /// Parameters, or an unnamed namespace.
    fn take_parentheses(&mut self) {
        let group = self.take_group();
        if self.segment.is_empty() && group == UNNAMED {
            self.segment = group.to_owned();
        } else {
            self.had_parameters = true;
        }
    }

    /// Something in brackets, with them.
    fn take_group(&mut self) -> &'a str {
        let mut depth = 0;
        let mut before = ' ';
        for (at, c) in self.rest.char_indices() {
            match c {
                '<' | '(' | '[' | '{' => depth += 1,
                // Not the end of an arrow.
                '>' if before == '-' => {}
                '>' | ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            before = c;
            if depth == 0 {
                let (group, rest) = self.rest.split_at(at + c.len_utf8());
                self.rest = rest;
                return group;
            }
        }
        std::mem::take(&mut self.rest)
    }
}

/// Of `Type as Trait` the type.
fn implementer(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            ' ' if depth == 0 && text[at..].starts_with(" as ") => return &text[..at],
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_languages_are_paths() {
        for (name, path) in [
            ("main", "main"),
            ("void ns::Queue<int>::push<char>(char, int)", "ns Queue push"),
            ("std::vector<int, std::allocator<int> > ns::all<int>(int)", "ns all"),
            ("ns::(anonymous namespace)::push(int)", "ns (anonymous namespace) push"),
            (
                "ns::push(int)::{lambda(char)#1}::operator()(char) const",
                "ns push {lambda(char)#1} operator()",
            ),
            ("ns::push::<lambda(char)>::operator()", "ns push <lambda(char)> operator()"),
            ("ns::Queue::operator bool() const", "ns Queue operator bool"),
            ("bool ns::operator< <int>(ns::Q<int>, ns::Q<int>)", "ns operator<"),
            ("ns::Queue::operator->() const", "ns Queue operator->"),
            ("ns::operators(int)", "ns operators"),
            ("ns::name[abi:cxx11](int)", "ns name"),
            ("ns::Queue::push(int) [clone .cold]", "ns Queue push"),
            ("ns::Queue<(ns::Kind)1>::~Queue()", "ns Queue ~Queue"),
            ("<app::Queue<T> as app::Sink<T>>::push", "app Queue push"),
            ("<&mut app::Queue as core::fmt::Debug>::fmt", "app Queue fmt"),
            ("<fn(u32) -> u32 as app::Call>::call", "fn call"),
            ("app::worker::{{closure}}", "app worker {{closure}}"),
            ("core::fmt::num::<impl core::fmt::Debug for u32>::fmt", "core fmt num fmt"),
            ("app::push::<u32>", "app push"),
            ("odd<(", "odd"),
        ] {
            assert_eq!(path_of(name).join(" "), path, "{name}");
        }
    }
}
