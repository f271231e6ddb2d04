// A queue with room for one item, one producer and two consumers. Room and items have a condition variable each, and whoever is notified
// has been waiting for just that.
// Source: the classic bounded buffer; one condition variable for two conditions.
// Buggy: fail/bounded_queue.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

class Queue {
public:
    void put(int item) {
        std::unique_lock<std::mutex> lock(mutex_);
        emptied_.wait(lock, [&] { return !item_; });
        item_ = item;
        filled_.notify_one();
    }

    int take() {
        std::unique_lock<std::mutex> lock(mutex_);
        filled_.wait(lock, [&] { return item_.has_value(); });
        int item = *item_;
        item_.reset();
        emptied_.notify_one();
        return item;
    }

private:
    std::mutex mutex_;
    std::condition_variable emptied_;
    std::condition_variable filled_;
    std::optional<int> item_;
};

int main() {
    Queue queue;
    int taken[2] = {0, 0};
    std::thread first([&] { taken[0] = queue.take(); });
    std::thread second([&] { taken[1] = queue.take(); });
    queue.put(1);
    queue.put(2);
    first.join();
    second.join();
    assert(taken[0] + taken[1] == 3);
    return 0;
}
