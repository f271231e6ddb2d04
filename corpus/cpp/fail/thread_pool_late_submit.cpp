// A thread pool that is shut down while a client submits a task. submit asks whether the pool is stopping and puts the task into the
// queue in two steps. If the worker leaves in between, the task is accepted and never run, and the client waits for it for ever.
// Source: our own; the classic check, then act.
// Repaired: pass/thread_pool_late_submit.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=2

#include <cassert>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

class ThreadPool {
public:
    ThreadPool() : worker_([this] { run(); }) {}

    std::optional<std::future<int>> submit(std::packaged_task<int()> task) {
        std::future<int> result = task.get_future();
        {
            std::unique_lock<std::mutex> lock(mutex_);
            if (stopping_) {
                return std::nullopt;
            }
            lock.unlock();
            // The pool may be shut down here.
            lock.lock();
            tasks_.push_back(std::move(task));
        }
        changed_.notify_one();
        return result;
    }

    void shut_down() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_one();
        worker_.join();
    }

private:
    void run() {
        std::unique_lock<std::mutex> lock(mutex_);
        while (true) {
            changed_.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
            if (tasks_.empty()) {
                return;
            }
            std::packaged_task<int()> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::packaged_task<int()>> tasks_;
    bool stopping_ = false;
    std::thread worker_;
};

int main() {
    ThreadPool pool;
    int answer = -1;
    std::thread client([&] {
        auto result = pool.submit(std::packaged_task<int()>([] { return 4; }));
        answer = result ? result->get() : 0;
    });
    pool.shut_down();
    client.join();
    assert(answer == 0 || answer == 4);
    return 0;
}
