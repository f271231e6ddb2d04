//! Builds the runtime that programs are linked with, so that it can be carried in the executable.
//!
//! It is a library of its own, always optimised, whatever the host is built for: a second cargo builds it, in a directory of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo says it")).join("../..");
    for part in ["core", "search", "wire", "preload"] {
        println!("cargo::rerun-if-changed={}", root.join("crates").join(part).display());
    }
    println!("cargo::rerun-if-changed={}", root.join("Cargo.lock").display());
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says it"));
    let library = out.join("libcaissa_rt.so");
    let target = std::env::var("TARGET").expect("cargo says it");
    if target != "x86_64-unknown-linux-gnu" {
        // Native programs are refused there.
        std::fs::write(&library, []).expect("the output directory can be written to");
        return;
    }
    build(&root, &out.join("runtime"));
    let built = out.join("runtime/release/libcaissa_rt.so");
    std::fs::copy(&built, &library).expect("the runtime was built");
}

fn build(root: &Path, target: &Path) {
    let cargo = std::env::var_os("CARGO").expect("cargo says it");
    let mut command = Command::new(cargo);
    command.args([
        "build",
        "--release",
        "--locked",
        "--quiet",
        "--package",
        "caissa-preload",
        "--target-dir",
    ]);
    command.arg(target).arg("--manifest-path").arg(root.join("Cargo.toml"));
    // What this build was told is not meant for that one.
    for name in [
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTFLAGS",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_WRAPPER",
        "CARGO_TARGET_DIR",
    ] {
        command.env_remove(name);
    }
    // Nobody looks into it, and it is carried along.
    command.env("CARGO_PROFILE_RELEASE_DEBUG", "false").env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo");
    let status = command.status().expect("cargo can be run");
    assert!(status.success(), "the runtime could not be built: {status}");
}
