//! Two threads clear the two halves of a buffer through its pointer.

use std::thread;

struct Buffer {
    start: *mut u32,
}

// SAFETY: threads that share it write to elements of their own.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// # Safety
    /// The buffer has such an element, and nobody else uses it now.
    unsafe fn clear(&self, index: usize) {
        // SAFETY: the caller says so.
        unsafe { self.start.add(index).write(0) };
    }
}

pub fn clear_in_halves(values: &mut [u32]) {
    let (end, middle) = (values.len(), values.len() / 2);
    let buffer = &Buffer { start: values.as_mut_ptr() };
    thread::scope(|s| {
        // SAFETY: each half is the business of one thread.
        s.spawn(move || (0..middle).for_each(|index| unsafe { buffer.clear(index) }));
        (middle..end).for_each(|index| unsafe { buffer.clear(index) });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_cleared() {
        let mut values = [1, 2, 3, 4];
        clear_in_halves(&mut values);
        assert_eq!(values, [0; 4]);
    }
}
