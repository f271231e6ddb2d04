//! docs/async.md: its code is compiled and run, its report is what the check prints.

#[path = "guides/async_choose.rs"]
mod choose;
#[path = "guides/async_first.rs"]
mod first;
#[path = "guides/async_local.rs"]
mod local;
#[path = "guides/async_timers.rs"]
mod timers;

mod missed {
    include!("guides/async_missed.rs");

    #[test]
    fn the_report_is_the_one_on_the_page() {
        let report = caissa::Builder::new().explore(a_notification_is_missed).unwrap();
        let text = report.to_string();
        let page = include_str!("../../../docs/async.md");
        let block = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        // The page shows a path as a user would see it.
        let text = text.replace("crates/caissa/tests/guides/async_missed.rs", "tests/missed.rs");
        for line in block.lines().filter(|line| !line.is_empty()) {
            // What is left out of a long line is marked.
            for part in line.split("...") {
                assert!(text.contains(part.trim()), "the page has\n{line}\nbut the report is\n{text}");
            }
        }
    }
}

const PAGE: &str = include_str!("../../../docs/async.md");

const FILES: [&str; 5] = [
    include_str!("guides/async_first.rs"),
    include_str!("guides/async_missed.rs"),
    include_str!("guides/async_local.rs"),
    include_str!("guides/async_timers.rs"),
    include_str!("guides/async_choose.rs"),
];

#[test]
fn every_block_is_a_file_that_is_run() {
    let blocks: Vec<&str> =
        PAGE.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks, FILES);
}
