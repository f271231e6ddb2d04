// main waits for two parts with a mutex and a condition variable of its own block. A worker lets the lock go and then notifies: main can
// see that both parts are there before that, leave the block, and destroy the condition variable that the worker is about to use.
// Source: the classic; why a notification to an object that may go away has to be made under its lock.
// Repaired: pass/cv_destroyed.cpp
//! check --cflags -std=gnu++20 => bug kind=destroyed bound=1

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Pending {
    std::mutex mutex;
    std::condition_variable arrived;
    int missing = 2;
    int sum = 0;
};

void deliver(Pending& pending, int part) {
    {
        std::lock_guard<std::mutex> lock(pending.mutex);
        pending.sum += part;
        --pending.missing;
    }
    pending.arrived.notify_one();
}

int main() {
    std::thread first;
    std::thread second;
    int sum = 0;
    {
        Pending pending;
        first = std::thread([&] { deliver(pending, 3); });
        second = std::thread([&] { deliver(pending, 4); });
        std::unique_lock<std::mutex> lock(pending.mutex);
        pending.arrived.wait(lock, [&] { return pending.missing == 0; });
        sum = pending.sum;
    }
    first.join();
    second.join();
    assert(sum == 7);
    return 0;
}
