// A worker sleeps until there is work or until it is asked to stop. It looks at its stop token, but a request to stop notifies nobody
// who waits on the condition variable: the worker that is asleep stays asleep, and the destructor of the jthread joins it for ever.
// Source: our own; the reason for the waits of std::condition_variable_any that take a stop token.
// Repaired: pass/cv_any_stop_token.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=1

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
            changed_.wait(lock, [&] { return jobs_ > 0 || stop.stop_requested(); });
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
