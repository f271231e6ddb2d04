// A client waits for an answer, but not for longer than a second, and then uses what is there. If the server is slow the wait ends by
// its time limit, and nothing is there.
// Source: our own; the result of a timed wait is not looked at.
// Repaired: pass/cv_wait_for.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=0

#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

class Mailbox {
public:
    void deliver(int letter) {
        std::lock_guard<std::mutex> lock(mutex_);
        letter_ = letter;
        filled_.notify_one();
    }

    int collect() {
        std::unique_lock<std::mutex> lock(mutex_);
        auto filled = [&] { return letter_ != 0; };
        filled_.wait_for(lock, std::chrono::seconds(1), filled);
        return letter_;
    }

private:
    std::mutex mutex_;
    std::condition_variable filled_;
    int letter_ = 0;
};

int main() {
    Mailbox mailbox;
    int letter = 0;
    std::thread client([&] { letter = mailbox.collect(); });
    std::thread server([&] { mailbox.deliver(9); });
    client.join();
    server.join();
    assert(letter == 9);
    return 0;
}
