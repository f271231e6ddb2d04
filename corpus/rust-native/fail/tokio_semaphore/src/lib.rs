//! A copy needs two of two permits and acquires them one by one: two copies may have one each (tokio).

use tokio::sync::Semaphore;

pub struct Disk {
    heads: Semaphore,
}

impl Disk {
    pub fn new() -> Self {
        Disk { heads: Semaphore::new(2) }
    }

    /// Reads with one head and writes with the other.
    pub async fn copy(&self) {
        let _read = self.heads.acquire().await.unwrap();
        let _write = self.heads.acquire().await.unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollster::block_on;
    use std::thread;

    #[test]
    fn two_copies() {
        let disk = Disk::new();
        thread::scope(|s| {
            s.spawn(|| block_on(disk.copy()));
            block_on(disk.copy());
        });
        assert_eq!(disk.heads.available_permits(), 2);
    }
}
