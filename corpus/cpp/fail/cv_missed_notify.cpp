// One thread waits until a flag is set; the other one sets the flag and notifies, without the lock. The waiting thread can have looked
// at the flag already and not be asleep yet: then the notification goes nowhere, and it sleeps for ever.
// Source: the classic missed notification.
// Repaired: pass/cv_missed_notify.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=1

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Gate {
public:
    void open() {
        open_ = true;
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
