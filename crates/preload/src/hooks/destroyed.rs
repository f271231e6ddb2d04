//! Whether an object is still there when an operation on it takes effect.
//!
//! What its memory holds is read then, as far as whoever makes, destroys or frees it is concerned. Objects that were destroyed hold a mark.

use caissa_core::ObjectKind;

use crate::memory::How;
use crate::rt::Rt;

/// What a destroyed object holds, where the kind of a mutex lies, and in the words of others that libc leaves alone.
const MARK: u32 = u32::MAX;

/// Where the mark lies in an object of a kind.
fn mark(kind: ObjectKind, address: usize) -> Option<*mut u32> {
    let offset = match kind {
        // The kind of a mutex, which libc marks in the same way.
        ObjectKind::Mutex => 16,
        // The highest word of the lowest counter of readers.
        ObjectKind::RwLock => 0,
        // A word behind everything that static initialisers set.
        ObjectKind::Condvar => 44,
        // A word behind what libc uses.
        ObjectKind::Semaphore => 28,
        _ => return None,
    };
    Some((address + offset) as *mut u32)
}

impl Rt {
    /// An operation of the running task on an object takes effect.
    pub(crate) fn use_object(&self, object: usize, pc: usize) {
        let state = &self.state().objects[object];
        let (kind, address, native) = (state.kind, state.address, state.marked);
        self.access(address, 1, How::AtomicRead, pc);
        if native
            && let Some(mark) = mark(kind, address)
            // SAFETY: the program's own object.
            && unsafe { *mark } == MARK
        {
            self.fail("destroyed", format!("uses a {} that was destroyed", kind.word()), pc);
        }
    }

    /// The object is destroyed: nobody may use it from now on.
    pub(crate) fn mark_destroyed(&self, object: usize) {
        self.set_mark(object, MARK);
    }

    /// The object is made, of a kind whose mark libc leaves alone when it makes one.
    pub(crate) fn mark_made(&self, object: usize) {
        self.set_mark(object, 0);
    }

    fn set_mark(&self, object: usize, value: u32) {
        let state = &self.state().objects[object];
        if let Some(mark) = mark(state.kind, state.address) {
            // SAFETY: as above.
            unsafe { *mark = value };
        }
    }

    /// An object of libc's, which can be destroyed.
    pub(crate) fn native_object(&self, kind: ObjectKind, address: usize) -> usize {
        let object = self.object(kind, address);
        self.state().objects[object].marked = true;
        object
    }
}
