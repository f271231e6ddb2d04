// A worker sleeps until there is work or until it is asked to stop. It gives its stop token to the wait, which a request to stop ends.
// Source: our own; the reason for the waits of std::condition_variable_any that take a stop token.
// Buggy: fail/cv_any_stop_token.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

class Worker {
public:
    void add(int jobs) {
        std::lock_guard<std::mutex> lock(mutex_);
        jobs_ += jobs;
        changed_.notify_one();
    }

    void run(std::stop_token stop) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!stop.stop_requested()) {
            changed_.wait(lock, stop, [&] { return jobs_ > 0; });
            done_ += jobs_;
            jobs_ = 0;
        }
    }

    int total() const { return done_ + jobs_; }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    int jobs_ = 0;
    int done_ = 0;
};

int main() {
    Worker worker;
    {
        std::jthread thread([&](std::stop_token stop) { worker.run(stop); });
        worker.add(1);
    }
    assert(worker.total() == 1);
    return 0;
}
