//! The other checkers' side of docs/from-loom.md and docs/from-shuttle.md: every block there is a file here, compiled and run.

macro_rules! guides {
    ($($name:ident)*) => {
        $(mod $name {
            include!(concat!("guides/", stringify!($name), ".rs"));
        })*
        const FILES: &[&str] = &[$(include_str!(concat!("guides/", stringify!($name), ".rs"))),*];
    };
}

guides! {
    loom_model
    loom_builder
    loom_cell
    shuttle_random
    shuttle_dfs
    shuttle_rand
    shuttle_future
}

#[test]
fn every_block_is_a_file_that_is_run() {
    let pages = [include_str!("../../docs/from-loom.md"), include_str!("../../docs/from-shuttle.md")];
    let blocks = pages.iter().flat_map(|page| page.split("```rust\n").skip(1));
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap());
    let theirs: Vec<&str> =
        blocks.filter(|text| text.contains("loom::") || text.contains("shuttle::")).collect();
    assert_eq!(theirs.len(), FILES.len());
    for block in theirs {
        assert!(FILES.contains(&block), "a block that is no file of tests/guides:\n{block}");
    }
}
