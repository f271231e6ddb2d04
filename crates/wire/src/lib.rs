//! What the host and a native program under its control say to each other.
//!
//! The two share a stream of messages, [`Request`]s one way and [`Reply`]s the other, and a page of memory, the [`Journal`]. Messages
//! carry whole jobs, so that they are few; the journal tells how far a job has come, and what ran when a process died.
//!
//! Both sides are built from one source tree; [`VERSION`] and a number for the build make sure of it.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod journal;
mod message;

pub use journal::{Hang, Journal};
pub use message::{
    Access, Calls, CodeRange, Halt, Hello, Misuse, Mode, Module, ObjectInfo, Ran, Replayed, Reply, Request,
    Seals, Setup, TaskInfo,
};

use alloc::vec::Vec;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The environment variable by which a program learns that it runs under control: the numbers of the descriptors of the stream and of
/// the journal, with a comma between.
pub const VARIABLE: &str = "CAISSA_NATIVE";

/// What both sides must agree on.
pub const VERSION: u32 = 1;
/// The lowest bits of what the object of a file is known by are its descriptor.
pub const FD_BITS: u32 = 16;

/// No message is longer than this.
pub const LONGEST: usize = 1 << 30;

/// A message with its length before it.
pub fn pack(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = alloc::vec![0; 4];
    bytes = postcard::to_extend(message, bytes).expect("messages hold nothing that cannot be sent");
    let length = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// A message from its bytes, without the length. `None` if they are not one.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
