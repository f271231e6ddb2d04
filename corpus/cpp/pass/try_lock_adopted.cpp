// Two threads try for a lock to refresh a cache. std::try_to_lock leaves the guard empty-handed when the lock is taken, and the
// loser goes home.
// Source: our own; std::adopt_lock believes what it is told.
// Buggy: fail/try_lock_adopted.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <mutex>
#include <thread>

class Cache {
public:
    // One thread refreshes; the others leave it to that one.
    void refresh() {
        std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
        if (lock.owns_lock()) {
            version_ = version_ + 1;
        }
    }

    int version() const { return version_; }

private:
    std::mutex mutex_;
    int version_ = 0;
};

int main() {
    Cache cache;
    std::thread first([&] { cache.refresh(); });
    std::thread second([&] { cache.refresh(); });
    first.join();
    second.join();
    assert(cache.version() == 1 || cache.version() == 2);
    return 0;
}
