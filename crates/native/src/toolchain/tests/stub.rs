//! A library that has the runtime's name, and every hook that compilers call: it counts accesses and says so in the end.

use std::path::PathBuf;

use crate::scratch::Scratch;
use crate::toolchain::Compiler;

use super::arguments;

const STUB: &str = r#"
#include <stdio.h>
#include <string.h>
static unsigned plain, is_volatile, atomic, block;
void __tsan_init(void) {}
void __tsan_func_entry(void *pc) {}
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **at, void *value) { plain++; }
void __tsan_vptr_read(void **at) { plain++; }
void __tsan_read_range(void *at, unsigned long size) { plain++; }
void __tsan_write_range(void *at, unsigned long size) { plain++; }
void __tsan_atomic_thread_fence(int order) { atomic++; }
void __tsan_atomic_signal_fence(int order) {}
#define ACCESS(n) \
    void __tsan_read##n(void *at) { plain++; } \
    void __tsan_write##n(void *at) { plain++; } \
    void __tsan_volatile_read##n(void *at) { is_volatile++; } \
    void __tsan_volatile_write##n(void *at) { is_volatile++; }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
#define ATOMIC(n, T) \
    T __tsan_atomic##n##_load(const volatile T *at, int order) { atomic++; return *at; } \
    void __tsan_atomic##n##_store(volatile T *at, T value, int order) { atomic++; *at = value; } \
    T __tsan_atomic##n##_exchange(volatile T *at, T value, int order) { atomic++; T old = *at; *at = value; return old; } \
    T __tsan_atomic##n##_fetch_add(volatile T *at, T value, int order) { atomic++; T old = *at; *at += value; return old; } \
    T __tsan_atomic##n##_fetch_sub(volatile T *at, T value, int order) { atomic++; T old = *at; *at -= value; return old; }
ATOMIC(8, unsigned char) ATOMIC(32, unsigned) ATOMIC(64, unsigned long)
void *memcpy(void *to, const void *from, unsigned long size) {
    block++;
    for (unsigned long i = 0; i < size; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}
__attribute__((destructor)) static void end(void) {
    fprintf(stderr, "stub: %s %s %s %s\n", plain ? "plain" : "-", is_volatile ? "volatile" : "-", atomic ? "atomic" : "-",
            block ? "block" : "-");
}
"#;

/// A directory with the library in it.
pub(super) struct Stub {
    pub(super) scratch: Scratch,
    pub(super) runtime_dir: PathBuf,
}

impl Stub {
    pub(super) fn new() -> Stub {
        let scratch = Scratch::new();
        // A name that a linker's flags could stumble over.
        scratch.write("run, time/stub.c", STUB);
        let library = "run, time/libcaissa_rt.so";
        scratch.must_run(&["gcc", "-shared", "-fPIC", "-fno-builtin", "run, time/stub.c", "-o", library]);
        let runtime_dir = scratch.path().join("run, time");
        Stub { scratch, runtime_dir }
    }

    /// Runs a wrapped command line in the directory. It must neither fail nor say anything.
    pub(super) fn wrap(&self, compiler: &Compiler, text: &str) -> String {
        let words = compiler.wrap(&arguments(text), &self.runtime_dir).expect("wrapped");
        let output = self.scratch.run(&words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{words:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs a program that was built, and returns what the library says of it.
    pub(super) fn counts(&self, program: &str) -> String {
        let output = self.scratch.run(&[self.scratch.path().join(program)]);
        assert!(output.status.success(), "{program}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        said.lines().find_map(|line| line.strip_prefix("stub: ")).unwrap_or("not linked").to_owned()
    }

    /// The libraries that a program needs, in order.
    pub(super) fn needed(&self, program: &str) -> Vec<String> {
        let dynamic = self.scratch.must_run(&["readelf", "-d", program]);
        let lines = dynamic.lines().filter(|line| line.contains("(NEEDED)"));
        let name = |line: &str| Some(line.split_once('[')?.1.split_once(']')?.0.to_owned());
        lines.filter_map(name).collect()
    }
}
