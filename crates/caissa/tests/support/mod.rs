//! What several files of tests use.

pub mod adapter;
pub mod channels;
pub mod child;
pub mod comparing;
pub mod corpus_cases;
#[macro_use]
pub mod like_tokio;
pub mod racing;
pub mod std_page;
#[macro_use]
pub mod types_outcomes;
