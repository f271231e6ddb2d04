//! Notes which compiler and settings the figures come from.

use std::process::Command;

fn main() {
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| "unknown".to_owned());
    let version = Command::new(variable("RUSTC")).arg("--version").output();
    let version = version.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=BENCH_RUSTC={}", version.as_deref().unwrap_or("unknown").trim());
    println!("cargo::rustc-env=BENCH_TARGET={}", variable("TARGET"));
    println!("cargo::rustc-env=BENCH_OPT_LEVEL={}", variable("OPT_LEVEL"));
    println!("cargo::rerun-if-changed=build.rs");
}
