// A spin lock made of a std::atomic_flag. It is released with memory_order_relaxed: the next owner sees that the lock is free, but need
// not see what the last owner has written. Two owners' accesses to the counter are not ordered.
// Source: the classic spin lock of std::atomic_flag; the mistake is our own.
// Repaired: pass/spin_lock_relaxed.cpp
//! check --cflags -std=gnu++20 => bug kind=race bound=0

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class SpinLock {
public:
    void lock() {
        while (locked_.test_and_set(std::memory_order_acquire)) {
            std::this_thread::yield();
        }
    }

    void unlock() {
        locked_.clear(std::memory_order_relaxed);
    }

private:
    std::atomic_flag locked_;
};

SpinLock spin_lock;
int counter = 0;

void count() {
    std::lock_guard<SpinLock> guard(spin_lock);
    ++counter;
}

int main() {
    std::thread first(count);
    std::thread second(count);
    first.join();
    second.join();
    assert(counter == 2);
    return 0;
}
