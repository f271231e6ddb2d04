//! docs/std.md against std's own documentation and against what is exported.
//!
//! `std_index.txt` lists the stable items of the mirrored modules as std's documentation of the toolchain named in its first
//! line has them. Where that documentation is installed the file is compared with it; `BLESS=1` writes it. Every item
//! must stand in docs/std.md, with a word for how it fares here, and every item that is said to be there is used in
//! `support/std_exports.rs`, once with std's and once with ours: if one were missing, or could not be called in the same way, this
//! would not compile.

mod std_exports;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::std_page::{Fares, documented};

const INDEX: &str = include_str!("std_index.txt");

/// The modules that are mirrored.
const MODULES: [&str; 7] = [
    "std::cell",
    "std::hint",
    "std::sync",
    "std::sync::atomic",
    "std::sync::mpsc",
    "std::thread",
    "std::time",
];

/// The one macro.
const THREAD_LOCAL: &str = "std::thread_local";

// ---- std's documentation ----

/// What stands between two marks.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let start = text.find(from)? + from.len();
    let end = text[start..].find(to)?;
    Some(&text[start..start + end])
}

/// The stable items of a module, as paths, from its pages.
fn items_of(html: &Path, module: &str) -> BTreeSet<String> {
    let mut items = BTreeSet::new();
    let folder = html.join(module.replace("::", "/"));
    for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some((kind, item)) = name.strip_suffix(".html").and_then(|name| name.split_once('.')) else {
            continue;
        };
        if !["struct", "enum", "fn", "constant", "type", "trait"].contains(&kind) {
            continue;
        }
        let page = std::fs::read_to_string(&path).unwrap();
        let head = between(&page, "main-heading", "item-decl").unwrap_or_else(|| panic!("{name} has a head"));
        if !head.contains("Stable since") {
            continue;
        }
        items.insert(format!("{module}::{item}"));
        if kind == "struct" {
            items.extend(methods_of(&page).into_iter().map(|method| format!("{module}::{item}::{method}")));
        }
    }
    items
}

/// The stable methods and constants on the page of a type.
fn methods_of(page: &str) -> Vec<String> {
    let mut methods = Vec::new();
    for kind in ["method", "associatedconstant"] {
        let mark = format!("<section id=\"{kind}.");
        let class = format!("\" class=\"{kind}\">");
        for section in page.split(&mark).skip(1) {
            let (id, rest) = section.split_once('"').unwrap();
            let since = rest.strip_prefix(&class[1..]).map(|rest| rest.split("</section>").next().unwrap());
            if since.is_some_and(|text| text.contains("Stable since")) {
                // A second method of the same name, for another type parameter, has a number behind it.
                let plain =
                    id.rsplit_once('-').filter(|(_, n)| n.parse::<u32>().is_ok()).map_or(id, |(id, _)| id);
                methods.push(plain.to_owned());
            }
        }
    }
    methods
}

fn output(command: &str, argument: &str) -> Option<String> {
    let output = Command::new(command).args(argument.split(' ')).output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// The version of the toolchain, and its documentation of std if that is installed.
fn installed() -> Option<(String, PathBuf)> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = output(&rustc, "--version")?;
    let html = PathBuf::from(output(&rustc, "--print sysroot")?).join("share/doc/rust/html");
    html.join("std/sync/struct.Mutex.html").exists().then_some((version, html))
}

/// The items of the index, after its first line.
fn index() -> BTreeSet<String> {
    INDEX.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn the_index_is_that_of_stds_documentation() {
    let Some((version, html)) = installed() else { return };
    let bless = std::env::var_os("BLESS").is_some();
    if !bless && INDEX.lines().next() != Some(&version) {
        // Another toolchain than the one that the mirror follows.
        return;
    }
    let mut items: BTreeSet<String> = MODULES.iter().flat_map(|module| items_of(&html, module)).collect();
    items.insert(THREAD_LOCAL.to_owned());
    if bless {
        let lines: String = items.iter().map(|item| format!("{item}\n")).collect();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/std_index.txt");
        std::fs::write(path, format!("{version}\n{lines}")).unwrap();
    } else {
        assert_eq!(index(), items, "`BLESS=1 cargo test -p caissa std_mirror` writes the index");
    }
}

// ---- docs/std.md ----

/// Whether an item belongs to a type that is std's own.
fn is_covered(item: &str, documented: &BTreeMap<String, Fares>) -> bool {
    item.rsplit_once("::").is_some_and(|(parent, _)| documented.get(parent) == Some(&Fares::Stds))
}

#[test]
fn every_stable_item_is_documented_and_nothing_else() {
    let (index, documented) = (index(), documented());
    let missing: Vec<_> = index
        .iter()
        .filter(|item| !documented.contains_key(*item) && !is_covered(item, &documented))
        .collect();
    assert!(missing.is_empty(), "docs/std.md lacks {missing:#?}");
    let unknown: Vec<_> = documented.keys().filter(|item| !index.contains(*item)).collect();
    assert!(unknown.is_empty(), "std has no stable {unknown:#?}");
}

#[test]
fn what_is_said_to_be_there_is_exported() {
    let exported: BTreeMap<String, bool> = std_exports::items();
    for (item, fares) in documented() {
        match (fares, exported.get(&item)) {
            (Fares::Supported | Fares::Differs, Some(false))
            | (Fares::Stds, Some(true))
            | (Fares::NotYet, None) => {}
            (fares, None) => panic!("{item} is said to be {fares:?} and is not in support/std_exports.rs"),
            (fares, Some(_)) => panic!("{item} is exported and said to be {fares:?}"),
        }
    }
    let documented = documented();
    let unknown: Vec<_> = exported.keys().filter(|item| !documented.contains_key(*item)).collect();
    assert!(unknown.is_empty(), "exported and not in docs/std.md: {unknown:#?}");
}
