//! Tests of those parts of the runtime that need nothing of it. The runtime as a whole is in the place of functions that test harnesses call, and is tested by the
//! programs that run in it (`crates/cli/tests`).
#![cfg(target_os = "linux")]

#[allow(dead_code)]
#[path = "../src/spin/rounds.rs"]
mod rounds;
#[allow(dead_code)]
#[path = "../src/timers/timer.rs"]
mod timer;
