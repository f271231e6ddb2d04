//! Functions that copy, fill and look at memory: compilers do not tell of these.

use std::ffi::{c_char, c_int, c_void};

use super::stubs;
use crate::memory::How;
use crate::real::real;
use crate::rt::{Rt, in_control};

type Pointer = *mut c_void;
type Text = *mut c_char;

stubs! {
    memcpy/3 => memcpy,
    memmove/3 => memmove,
    memset/3 => memset,
    memcmp/3 => memcmp,
    memchr/3 => memchr,
    __tsan_memcpy/3 => memcpy,
    __tsan_memmove/3 => memmove,
    __tsan_memset/3 => memset,
    __memcpy_chk/3 => memcpy,
    __memmove_chk/3 => memmove,
    __memset_chk/3 => memset,
    strlen/1 => strlen,
    strcmp/2 => strcmp,
    strncmp/3 => strncmp,
    strcpy/2 => strcpy,
    strncpy/3 => strncpy,
    strcat/2 => strcat,
    strchr/2 => strchr,
    strdup/1 => strdup,
    bzero/2 => bzero,
    explicit_bzero/2 => bzero,
    bcopy/3 => bcopy,
    bcmp/3 => memcmp,
    mempcpy/3 => mempcpy,
    __mempcpy/3 => mempcpy,
    stpcpy/2 => stpcpy,
    __stpcpy/2 => stpcpy,
    strncat/3 => strncat,
    strnlen/2 => strnlen,
    strrchr/2 => strrchr,
}

fn touches(address: usize, length: usize, how: How, pc: usize) {
    if let Some(rt) = Rt::enter() {
        rt.access(address, length, how, pc);
    }
}

/// So many bytes of a text, its end included.
fn length(text: Text) -> usize {
    real!(strlen(text => Text) -> usize) + 1
}

pub(super) extern "C-unwind" fn memcpy(to: Pointer, from: Pointer, bytes: usize, pc: usize) -> Pointer {
    if in_control() {
        touches(from as usize, bytes, How::Read, pc);
        touches(to as usize, bytes, How::Write, pc);
    }
    real!(memcpy(to => Pointer, from => Pointer, bytes => usize) -> Pointer)
}

extern "C-unwind" fn memmove(to: Pointer, from: Pointer, bytes: usize, pc: usize) -> Pointer {
    if in_control() {
        touches(from as usize, bytes, How::Read, pc);
        touches(to as usize, bytes, How::Write, pc);
    }
    real!(memmove(to => Pointer, from => Pointer, bytes => usize) -> Pointer)
}

extern "C-unwind" fn memset(to: Pointer, value: c_int, bytes: usize, pc: usize) -> Pointer {
    if in_control() {
        touches(to as usize, bytes, How::Write, pc);
    }
    real!(memset(to => Pointer, value => c_int, bytes => usize) -> Pointer)
}

extern "C-unwind" fn memcmp(one: Pointer, other: Pointer, bytes: usize, pc: usize) -> c_int {
    if in_control() {
        touches(one as usize, bytes, How::Read, pc);
        touches(other as usize, bytes, How::Read, pc);
    }
    real!(memcmp(one => Pointer, other => Pointer, bytes => usize) -> c_int)
}

extern "C-unwind" fn memchr(text: Pointer, byte: c_int, bytes: usize, pc: usize) -> Pointer {
    let find = || real!(memchr(text => Pointer, byte => c_int, bytes => usize) -> Pointer);
    if in_control() {
        let found = find();
        let looked = if found.is_null() { bytes } else { found as usize - text as usize + 1 };
        touches(text as usize, looked, How::Read, pc);
    }
    find()
}

extern "C-unwind" fn strlen(text: Text, pc: usize) -> usize {
    if in_control() {
        touches(text as usize, length(text), How::Read, pc);
    }
    real!(strlen(text => Text) -> usize)
}

/// How many bytes of two texts are looked at when they are compared.
fn compared(one: Text, other: Text, most: usize) -> usize {
    // SAFETY: both are texts, or so long.
    unsafe {
        let differs = |at: &usize| *one.add(*at) != *other.add(*at) || *one.add(*at) == 0;
        (0..most).find(differs).map_or(most, |at| at + 1)
    }
}

extern "C-unwind" fn strcmp(one: Text, other: Text, pc: usize) -> c_int {
    if in_control() {
        let looked = compared(one, other, usize::MAX);
        touches(one as usize, looked, How::Read, pc);
        touches(other as usize, looked, How::Read, pc);
    }
    real!(strcmp(one => Text, other => Text) -> c_int)
}

extern "C-unwind" fn strncmp(one: Text, other: Text, most: usize, pc: usize) -> c_int {
    if in_control() {
        let looked = compared(one, other, most);
        touches(one as usize, looked, How::Read, pc);
        touches(other as usize, looked, How::Read, pc);
    }
    real!(strncmp(one => Text, other => Text, most => usize) -> c_int)
}

extern "C-unwind" fn strcpy(to: Text, from: Text, pc: usize) -> Text {
    if in_control() {
        let bytes = length(from);
        touches(from as usize, bytes, How::Read, pc);
        touches(to as usize, bytes, How::Write, pc);
    }
    real!(strcpy(to => Text, from => Text) -> Text)
}

extern "C-unwind" fn strncpy(to: Text, from: Text, most: usize, pc: usize) -> Text {
    if in_control() {
        let bytes = real!(strnlen(from => Text, most => usize) -> usize);
        touches(from as usize, (bytes + 1).min(most), How::Read, pc);
        touches(to as usize, most, How::Write, pc);
    }
    real!(strncpy(to => Text, from => Text, most => usize) -> Text)
}

extern "C-unwind" fn strcat(to: Text, from: Text, pc: usize) -> Text {
    if in_control() {
        let (before, bytes) = (length(to), length(from));
        touches(from as usize, bytes, How::Read, pc);
        touches(to as usize, before, How::Read, pc);
        touches(to as usize + before - 1, bytes, How::Write, pc);
    }
    real!(strcat(to => Text, from => Text) -> Text)
}

extern "C-unwind" fn strchr(text: Text, byte: c_int, pc: usize) -> Text {
    let find = || real!(strchr(text => Text, byte => c_int) -> Text);
    if in_control() {
        let found = find();
        let looked = if found.is_null() { length(text) } else { found as usize - text as usize + 1 };
        touches(text as usize, looked, How::Read, pc);
    }
    find()
}

extern "C-unwind" fn strdup(text: Text, pc: usize) -> Text {
    if in_control() {
        touches(text as usize, length(text), How::Read, pc);
    }
    real!(strdup(text => Text) -> Text)
}

extern "C-unwind" fn bzero(to: Pointer, bytes: usize, pc: usize) {
    memset(to, 0, bytes, pc);
}

extern "C-unwind" fn bcopy(from: Pointer, to: Pointer, bytes: usize, pc: usize) {
    memmove(to, from, bytes, pc);
}

extern "C-unwind" fn mempcpy(to: Pointer, from: Pointer, bytes: usize, pc: usize) -> Pointer {
    memcpy(to, from, bytes, pc).wrapping_byte_add(bytes)
}

extern "C-unwind" fn stpcpy(to: Text, from: Text, pc: usize) -> Text {
    if in_control() {
        let bytes = length(from);
        touches(from as usize, bytes, How::Read, pc);
        touches(to as usize, bytes, How::Write, pc);
    }
    real!(stpcpy(to => Text, from => Text) -> Text)
}

extern "C-unwind" fn strncat(to: Text, from: Text, most: usize, pc: usize) -> Text {
    if in_control() {
        let (before, bytes) = (length(to), real!(strnlen(from => Text, most => usize) -> usize));
        touches(from as usize, (bytes + 1).min(most), How::Read, pc);
        touches(to as usize, before, How::Read, pc);
        touches(to as usize + before - 1, bytes + 1, How::Write, pc);
    }
    real!(strncat(to => Text, from => Text, most => usize) -> Text)
}

extern "C-unwind" fn strnlen(text: Text, most: usize, pc: usize) -> usize {
    if in_control() {
        let bytes = real!(strnlen(text => Text, most => usize) -> usize);
        touches(text as usize, (bytes + 1).min(most), How::Read, pc);
    }
    real!(strnlen(text => Text, most => usize) -> usize)
}

extern "C-unwind" fn strrchr(text: Text, byte: c_int, pc: usize) -> Text {
    if in_control() {
        touches(text as usize, length(text), How::Read, pc);
    }
    real!(strrchr(text => Text, byte => c_int) -> Text)
}
