// Two runners wait for the start. The starter notifies all of them.
// Source: the classic; notify_one where the change concerns all.
// Buggy: fail/cv_notify_one.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class StartingLine {
public:
    void wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return started_; });
        ++running_;
    }

    void start() {
        std::lock_guard<std::mutex> lock(mutex_);
        started_ = true;
        changed_.notify_all();
    }

    int running() const { return running_; }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool started_ = false;
    int running_ = 0;
};

int main() {
    StartingLine line;
    std::thread first([&] { line.wait(); });
    std::thread second([&] { line.wait(); });
    std::thread starter([&] { line.start(); });
    first.join();
    second.join();
    starter.join();
    assert(line.running() == 2);
    return 0;
}
