// Two workers run the packaged tasks of a queue until it is empty. A worker asks whether the queue is empty and takes the first task
// in one step under the lock.
// Source: C++ Concurrency in Action, section 3.2.3: races inherent in interfaces.
// Buggy: fail/packaged_task_queue.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

using Task = std::packaged_task<int()>;

class TaskQueue {
public:
    void push(Task task) { tasks_.push_back(std::move(task)); }

    // Whether a task was there to be run.
    bool run_one() {
        Task task;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            if (tasks_.empty()) {
                return false;
            }
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        task();
        return true;
    }

private:
    std::mutex mutex_;
    std::deque<Task> tasks_;
};

int main() {
    TaskQueue queue;
    Task task([] { return 6; });
    std::future<int> result = task.get_future();
    queue.push(std::move(task));
    std::thread first([&] { while (queue.run_one()) {} });
    std::thread second([&] { while (queue.run_one()) {} });
    assert(result.get() == 6);
    first.join();
    second.join();
    return 0;
}
