// Two threads try for a lock to refresh a cache. The guard adopts the lock whether try_lock has got it or not, and the loser unlocks
// what the winner holds.
// Source: our own; std::adopt_lock believes what it is told.
// Repaired: pass/try_lock_adopted.cpp
//! check --cflags -std=gnu++20 => bug kind=bad-unlock bound=1

#include <cassert>
#include <mutex>
#include <thread>

class Cache {
public:
    // One thread refreshes; the others leave it to that one.
    void refresh() {
        bool mine = mutex_.try_lock();
        std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
        if (mine) {
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
