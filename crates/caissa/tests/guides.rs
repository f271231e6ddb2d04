//! The guides for those who come from other checkers: every block of Caissa's code in them is a file here, compiled and run.
//!
//! Blocks for the other checkers are files of `bench`, which has those libraries; its tests compile and run them.

/// The files, as tests and as texts.
macro_rules! guides {
    ($($name:ident)*) => {
        $(mod $name {
            include!(concat!("guides/", stringify!($name), ".rs"));
        })*
        const FILES: &[(&str, &str)] =
            &[$((stringify!($name), include_str!(concat!("guides/", stringify!($name), ".rs")))),*];
    };
}

guides! {
    from_loom_check
    from_loom_cell
    from_loom_lazy
    from_loom_builder
    from_loom_everything
    from_loom_replay
    from_loom_timeout
    from_shuttle_check
    from_shuttle_random
    from_shuttle_dfs
    from_shuttle_choose
    from_shuttle_future
    from_shuttle_scheduler
}

const GUIDES: [(&str, &str); 2] = [
    ("from_loom", include_str!("../../../docs/from-loom.md")),
    ("from_shuttle", include_str!("../../../docs/from-shuttle.md")),
];

/// The blocks of Rust code in a page.
fn blocks(page: &str) -> impl Iterator<Item = &str> {
    page.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap())
}

#[test]
fn every_block_is_a_file_that_is_run() {
    for (guide, page) in GUIDES {
        let ours: Vec<&str> =
            blocks(page).filter(|text| !text.contains("loom::") && !text.contains("shuttle::")).collect();
        for block in &ours {
            let known = FILES.iter().any(|(name, text)| name.starts_with(guide) && text == block);
            assert!(known, "{guide} has a block that is no file of tests/guides:\n{block}");
        }
        let files = FILES.iter().filter(|(name, _)| name.starts_with(guide));
        assert_eq!(files.count(), ours.len(), "every file of {guide} is shown once");
    }
}

/// Names of settings: what the guides call a method of the builder or a variable is one.
#[test]
fn the_settings_that_the_guides_name_exist() {
    let settings = include_str!("../src/settings.rs");
    let variables = include_str!("../src/settings/environment.rs");
    for (guide, page) in GUIDES {
        let words = page.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for variable in words.filter_map(|word| word.strip_prefix("CAISSA_")) {
            assert!(variables.contains(&format!("\"{variable}\",")), "{guide} names CAISSA_{variable}");
        }
        let mut rows = page.lines().skip_while(|line| !line.contains("| Caissa's `Builder` |"));
        let column = rows.next().unwrap().split('|').position(|cell| cell == " Caissa's `Builder` ").unwrap();
        let cells =
            rows.take_while(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(column));
        let code = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        // A chain of calls, or a name; the verdict's name is none of them.
        let calls = code.flat_map(|code| code.split(").")).map(|call| call.split('(').next().unwrap());
        let named: Vec<&str> = calls.filter(|name| *name != "incomplete").collect();
        assert!(named.len() >= 6, "{guide}: {named:?}");
        for name in named {
            assert!(settings.contains(&format!("pub fn {name}(")), "{guide} names the setting {name}");
        }
    }
}
