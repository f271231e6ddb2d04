// A thread pool of one worker. Its destructor sets the stop flag and joins. A worker leaves when the flag is set and the queue is empty.
// Source: our own; the order of the two questions in the worker's loop.
// Buggy: fail/thread_pool_drops_tasks.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

class ThreadPool {
public:
    ThreadPool() : worker_([this] { run(); }) {}

    ~ThreadPool() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        worker_.join();
    }

    void submit(std::function<void()> task) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        changed_.notify_one();
    }

private:
    void run() {
        while (true) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                changed_.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
                if (tasks_.empty()) {
                    return;
                }
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
            task();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool stopping_ = false;
    std::thread worker_;
};

int main() {
    int done = 0;
    {
        ThreadPool pool;
        pool.submit([&] { ++done; });
        pool.submit([&] { ++done; });
    }
    assert(done == 2);
    return 0;
}
