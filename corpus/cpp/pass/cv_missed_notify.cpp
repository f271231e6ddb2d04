// One thread waits until a flag is set; the other one sets the flag under the lock, which the waiting thread holds from its look at
// the flag until it is asleep.
// Source: the classic missed notification.
// Buggy: fail/cv_missed_notify.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Gate {
public:
    void open() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            open_ = true;
        }
        opened_.notify_one();
    }

    void pass() {
        std::unique_lock<std::mutex> lock(mutex_);
        opened_.wait(lock, [&] { return open_.load(); });
    }

private:
    std::mutex mutex_;
    std::condition_variable opened_;
    std::atomic<bool> open_ = false;
};

int main() {
    Gate gate;
    int fare = 0;
    int seen = 0;
    std::thread visitor([&] {
        gate.pass();
        seen = fare;
    });
    std::thread keeper([&] {
        fare = 5;
        gate.open();
    });
    visitor.join();
    keeper.join();
    assert(seen == 5);
    return 0;
}
