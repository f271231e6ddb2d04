//! Archives, the cache, toolchains that lack something, and a sysroot of the toolchain that compiles this.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSection as _, SectionKind};

use super::archive::Member;
use super::*;
use crate::scratch::Scratch;
use crate::toolchain::Environment;

/// The toolchain of this directory, with its libraries' directory and its linker.
fn here() -> (RustToolchain, PathBuf, PathBuf) {
    let toolchain =
        RustToolchain::find(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("it compiles this test");
    let target = toolchain.sysroot.join("lib/rustlib").join(TARGET);
    (toolchain, target.join("lib"), target.join("bin/rust-lld"))
}

/// A small library of the toolchain.
fn hashbrown() -> (PathBuf, Vec<Member>) {
    let entries =
        std::fs::read_dir(here().1).expect("libraries").map(|entry| entry.expect("a library").path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.starts_with("libhashbrown-") && name.ends_with(".rlib")
    };
    let path = entries.filter(is_it).min().expect("hashbrown");
    let members = archive::read(&std::fs::read(&path).expect("a library")).expect("an archive");
    (path, members)
}

/// How many sections of machine code an object has.
fn functions(member: &Member) -> usize {
    let file = object::File::parse(&*member.bytes).expect("an object");
    file.sections().filter(|section| section.kind() == SectionKind::Text && section.size() > 0).count()
}

#[test]
fn an_archive_keeps_its_members_and_has_an_index() {
    let (_, members) = hashbrown();
    let bytes = archive::write(&members).expect("an archive");
    assert_eq!(archive::read(&bytes).expect("an archive"), members);
    let archive = ArchiveFile::parse(&*bytes).expect("an archive");
    let index = archive.symbols().expect("a good index").expect("an index");
    let is_of_hashbrown = |name: &[u8]| String::from_utf8_lossy(name).contains("hashbrown");
    assert!(index.into_iter().any(|symbol| is_of_hashbrown(symbol.expect("a symbol").name())));
    assert!(archive::read(b"!<arch>\nno header").is_err());
}

#[test]
fn a_library_is_instrumented_and_otherwise_stays_as_it_was() {
    let scratch = Scratch::new();
    let (_, _, linker) = here();
    let (path, before) = hashbrown();
    let [to, work] = ["made.rlib", "work"].map(|name| scratch.path().join(name));
    assert_eq!(instrument::library(&linker, &path, &to, &work), Ok(vec![]));
    let after = archive::read(&std::fs::read(&to).expect("a library")).expect("an archive");
    let names = |members: &[Member]| members.iter().map(|member| member.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&after), names(&before));
    for (before, after) in before.iter().zip(&after) {
        match before.is_code() {
            true => {
                assert!(!before.has_hooks() && after.has_hooks() && after.bitcode().is_none());
                // Each function still has a section of its own, and the initialisation of the runtime one more.
                let (before, after) = (functions(before), functions(after));
                assert!(before > 1 && (before..=before + 1).contains(&after), "{before} {after}");
            }
            false => assert_eq!(before, after),
        }
    }
    // Once more, with a member that carries no bitcode: that one stays.
    let plain = Member {
        name: "plain.o".to_owned(),
        bytes: after.iter().find(|m| m.is_code()).expect("code").bytes.clone(),
    };
    let mixed: Vec<Member> = before.iter().cloned().chain([plain.clone()]).collect();
    let mixed = scratch.write("mixed.rlib", archive::write(&mixed).expect("an archive"));
    assert_eq!(instrument::library(&linker, &mixed, &to, &work), Ok(vec!["plain.o".to_owned()]));
    let made = archive::read(&std::fs::read(&to).expect("a library")).expect("an archive");
    assert_eq!(made.last(), Some(&plain));
}

#[test]
fn what_is_wrong_with_a_library_is_said() {
    let scratch = Scratch::new();
    let (_, _, linker) = here();
    let (path, mut members) = hashbrown();
    let [to, work] = ["made.rlib", "work"].map(|name| scratch.path().join(name));
    let said = |linker: &Path, from: &Path| {
        instrument::library(linker, from, &to, &work).expect_err("an error").to_string()
    };
    let none = scratch.write("none.rlib", archive::write(&members[..1]).expect("an archive"));
    assert!(said(&linker, &none).starts_with("the toolchain's none.rlib carries no bitcode\nhelp: Use a"));
    let bytes = std::fs::read(&path).expect("a library");
    let cut = scratch.write("cut.rlib", &bytes[..bytes.len() / 2]);
    assert!(said(&linker, &cut).starts_with("the toolchain's cut.rlib cannot be read: "));
    scratch.write_program("crashing", "kill -SEGV $$");
    let crashing = scratch.path().join("crashing");
    assert!(said(&crashing, &path).starts_with("rust-lld crashed (signal 11) when it was given hashbrown-"));
    // Bitcode that is none.
    for member in &mut members {
        if let Some(bitcode) = member.bitcode() {
            let at = member.bytes.windows(bitcode.len()).position(|bytes| bytes == bitcode).expect("bitcode");
            member.bytes[at..at + bitcode.len() / 2].fill(7);
        }
    }
    let broken = scratch.write("broken.rlib", archive::write(&members).expect("an archive"));
    let text = said(&linker, &broken);
    assert!(text.contains(" of broken.rlib:\n") && text.contains("rust-lld ended with code 1"), "{text}");
}

/// Makes a directory with one file and one link.
fn fill(directory: &Path, target: &Path) -> Result<layout::Made, SysrootError> {
    std::fs::write(directory.join("file"), "made").expect("a file");
    symlink(target, directory.join("link")).expect("a link");
    Ok(layout::Made { files: [PathBuf::from("file")].into(), links: [PathBuf::from("link")].into() })
}

#[test]
fn what_is_damaged_is_made_anew() {
    let scratch = Scratch::new();
    let target = scratch.write("target", "");
    let kept = Kept { cache: &scratch.path().join("cache"), name: "thing".to_owned() };
    let made = AtomicU32::new(0);
    let get = || {
        let directory = kept.get(&mut |_| {}, |directory, _| {
            made.fetch_add(1, Ordering::Relaxed);
            fill(directory, &target)
        });
        (directory.expect("a directory"), made.load(Ordering::Relaxed))
    };
    let (directory, 1) = get() else { panic!("made once") };
    assert_eq!(get(), (directory.clone(), 1));
    // A process that was killed has left something behind, which goes when the next one makes it.
    let leftover = kept.cache.join("thing.partial.1");
    std::fs::create_dir(&leftover).expect("a directory");
    let manifest = std::fs::read_to_string(directory.join("manifest")).expect("a manifest");
    let damages: [&dyn Fn(); 5] = [
        &|| std::fs::write(directory.join("file"), "mad").expect("a file"),
        &|| std::fs::remove_file(directory.join("file")).expect("a file"),
        &|| std::fs::remove_file(&target).expect("a file"),
        &|| std::fs::write(directory.join("manifest"), &manifest[..manifest.len() - 4]).expect("a file"),
        &|| std::fs::remove_dir_all(&directory).expect("a directory"),
    ];
    for (number, damage) in damages.iter().enumerate() {
        damage();
        assert_eq!(get(), (directory.clone(), number as u32 + 2));
        scratch.write("target", "");
        assert_eq!(get(), (directory.clone(), number as u32 + 2));
        assert!(!leftover.exists());
    }
}

#[test]
fn several_at_a_time_make_it_once() {
    let scratch = Scratch::new();
    let (target, cache) = (scratch.write("target", ""), scratch.path().join("cache"));
    let made = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let kept = Kept { cache: &cache, name: "thing".to_owned() };
                let directory = kept.get(&mut |_| {}, |directory, _| {
                    made.fetch_add(1, Ordering::Relaxed);
                    fill(directory, &target)
                });
                assert!(directory.expect("a directory").join("file").exists());
            });
        }
    });
    assert_eq!(made.load(Ordering::Relaxed), 1);
}

#[test]
fn what_could_not_be_made_leaves_nothing_behind() {
    let scratch = Scratch::new();
    let kept = Kept { cache: scratch.path(), name: "thing".to_owned() };
    let error = SysrootError::NoBitcode { library: "x".to_owned() };
    let got = kept.get(&mut |_| {}, |directory, _| {
        std::fs::write(directory.join("file"), "").expect("a file");
        Err(error.clone())
    });
    assert_eq!(got, Err(error));
    let left: Vec<_> = std::fs::read_dir(scratch.path()).expect("a directory").collect();
    assert_eq!(left.len(), 1, "the lock, and not {left:?}");
    // A file where the cache should be.
    let cache = scratch.write("file", "");
    let kept = Kept { cache: &cache, name: "thing".to_owned() };
    let error = kept.get(&mut |_| {}, |_, _| panic!("nowhere to make it")).expect_err("no directory");
    assert!(error.to_string().ends_with("and has some 30 MB of room"), "{error}");
}

/// A toolchain that is made up: a script, which says that its libraries are beside it.
fn made_up(scratch: &Scratch, host: &str) -> Result<RustToolchain, SysrootError> {
    let facts = format!("host: {host}\\nrelease: 1.95.0\\ncommit-hash: unknown\\nLLVM version: 22.1.2");
    scratch.write_program("rustc", &format!("case $1 in -vV) printf '{facts}\\n' ;; *) pwd ;; esac"));
    let rustc = scratch.path().join("rustc").to_string_lossy().into_owned();
    let environment = Environment { variables: BTreeMap::from([("RUSTC", rustc)]), ..Environment::default() };
    RustToolchain::find_in(scratch.path(), &environment)
}

#[test]
fn what_a_toolchain_lacks_is_said() {
    let scratch = Scratch::new();
    let nowhere = RustToolchain::find_in(scratch.path(), &Environment::default()).expect_err("no rustc");
    let text =
        "`rustc` cannot be run: there is no such program\nhelp: Install Rust as https://rustup.rs says";
    assert_eq!(nowhere.to_string(), text);

    scratch.write_program("cc", "echo gcc");
    let cc = scratch.path().join("cc").to_string_lossy().into_owned();
    let environment = Environment { variables: BTreeMap::from([("RUSTC", cc)]), ..Environment::default() };
    let other = RustToolchain::find_in(scratch.path(), &environment).expect_err("another program");
    assert!(matches!(&other, SysrootError::NotRustc { said, .. } if said == "gcc"), "{other}");

    let windows = made_up(&scratch, "x86_64-pc-windows-msvc").expect("a toolchain");
    assert_eq!(
        can_be_instrumented(&windows),
        Err(SysrootError::OtherTarget { host: "x86_64-pc-windows-msvc".to_owned() })
    );
    let toolchain = made_up(&scratch, TARGET).expect("a toolchain");
    assert_eq!(toolchain.sysroot, scratch.path());
    assert_eq!(toolchain.key(), "1.95.0-llvm-22.1.2");
    let lacks = || can_be_instrumented(&toolchain).expect_err("something is missing").to_string();
    assert!(lacks().starts_with("the toolchain has no library `std` for x86_64-unknown-linux-gnu, in "));
    let libraries = format!("lib/rustlib/{TARGET}/lib");
    for library in INSTRUMENTED.iter().filter(|library| **library != "core") {
        scratch.write(&format!("{libraries}/lib{library}-0.rlib"), "");
    }
    assert!(lacks().starts_with("the toolchain has no library `core` for "));
    assert!(lacks().ends_with("\nhelp: Install it: `rustup target add x86_64-unknown-linux-gnu`"));
    scratch.write(&format!("{libraries}/libcore-0.rlib"), "");
    assert!(lacks().starts_with("the toolchain has no rust-lld, which would do it: "));

    // With everything there, but no library that is one, nothing is made.
    scratch.write_program(&format!("lib/rustlib/{TARGET}/bin/rust-lld"), "true");
    assert_eq!(can_be_instrumented(&toolchain), Ok(()));
    let cache = scratch.path().join("cache");
    let error = instrumented_in(&cache, &toolchain, &mut |_| {}).expect_err("no libraries");
    assert!(matches!(error, SysrootError::Library { .. }), "{error}");
    assert!(!cache.join(format!("sysroot-1.95.0-llvm-22.1.2-{VERSION}")).exists());
}

/// Whatever this crate is compiled with: std is instrumented, links, runs, and programs do not grow by what they do not use.
#[test]
fn std_of_this_toolchain() {
    let scratch = Scratch::new();
    let (toolchain, libraries, _) = here();
    let mut said = Vec::new();
    let cache = scratch.path().join("cache");
    let sysroot = instrumented_in(&cache, &toolchain, &mut |text| said.push(text.to_owned()));
    let sysroot = sysroot.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(sysroot, cache.join(format!("sysroot-{}-{VERSION}", &toolchain.commit_hash[..12])));
    let again = instrumented_in(&cache, &toolchain, &mut |text| panic!("it is there: {text}"));
    assert_eq!(again, Ok(sysroot.clone()));

    let made = sysroot.join("lib/rustlib").join(TARGET).join("lib");
    for entry in std::fs::read_dir(libraries).expect("libraries") {
        let name = entry.expect("a library").file_name();
        let path = made.join(&name);
        let name = name.to_string_lossy().into_owned();
        let is_ours = INSTRUMENTED.iter().any(|library| name.starts_with(&format!("lib{library}-")));
        let is_made = !path.symlink_metadata().expect("it is there").is_symlink();
        assert_eq!(is_made, is_ours && name.ends_with(".rlib"), "{name}");
        if is_made {
            let members = archive::read(&std::fs::read(&path).expect("a library")).expect("an archive");
            assert!(members.iter().any(Member::has_hooks), "{name}");
        }
    }

    let source = scratch.write(
        "test.rs",
        "#[test]\nfn passes() { assert_eq!(std::thread::spawn(|| 1).join().unwrap(), 1) }\n",
    );
    let compile = |name: &str, flags: &[String]| {
        let program = scratch.path().join(name);
        let mut command = Command::new(&toolchain.rustc);
        command
            .args(["--test", "--edition=2021", "-Cstrip=symbols", "-o"])
            .args([&program, &source])
            .args(flags);
        let output = command.output().expect("rustc runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = scratch.must_run(&[&program]);
        assert!(printed.contains("test result: ok. 1 passed"), "{printed}");
        program.metadata().expect("a program").len()
    };
    let runtime = runtime::directory().expect("a runtime");
    let plain = compile("plain", &[]);
    let instrumented = compile("instrumented", &flags(Some(&sysroot), &runtime));
    assert!((plain..plain * 3 / 2).contains(&instrumented), "{plain} {instrumented}");
}

#[test]
fn flags_name_the_passes_the_runtime_and_the_sysroot() {
    let flags = |sysroot| flags(sysroot, Path::new("/rt")).join(" ");
    let expected = "-Cpasses=forceattrs -Cpasses=tsan-module -Cpasses=tsan -Cllvm-args=-force-attribute=sanitize_thread -Csymbol-mangling-version=v0 --cfg=rustix_use_libc -Clto=off \
                    -Clinker-plugin-lto=no -Lnative=/rt -ldylib=caissa_rt -Clink-arg=-Wl,-rpath,/rt";
    assert_eq!(flags(None), expected);
    assert_eq!(flags(Some(Path::new("/s"))), format!("--sysroot=/s {expected}"));
}
