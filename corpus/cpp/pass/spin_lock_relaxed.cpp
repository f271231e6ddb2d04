// A spin lock made of a std::atomic_flag, released with memory_order_release: the next owner sees all that the last one has written.
// Source: the classic spin lock of std::atomic_flag; the mistake is our own.
// Buggy: fail/spin_lock_relaxed.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

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
        locked_.clear(std::memory_order_release);
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
