// Two workers run the packaged tasks of a queue until it is empty. A worker asks whether the queue is empty and takes the first task in
// two steps, each under the lock: when one task is left both can find it there, and one of them takes from an empty queue.
// Source: C++ Concurrency in Action, section 3.2.3: races inherent in interfaces.
// Repaired: pass/packaged_task_queue.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

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
            if (empty()) {
                return false;
            }
            // The other worker may take the last task here.
            std::lock_guard<std::mutex> lock(mutex_);
            assert(!tasks_.empty());
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        task();
        return true;
    }

    bool empty() {
        std::lock_guard<std::mutex> lock(mutex_);
        return tasks_.empty();
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
