// A queue with room for one item, one producer and two consumers. Whoever waits for room and whoever waits for an item do so on the same
// condition variable, and one of them is notified: it can be a consumer that finds nothing, while the producer sleeps on.
// Source: the classic bounded buffer; one condition variable for two conditions.
// Repaired: pass/bounded_queue.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=1

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

class Queue {
public:
    void put(int item) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return !item_; });
        item_ = item;
        changed_.notify_one();
    }

    int take() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return item_.has_value(); });
        int item = *item_;
        item_.reset();
        changed_.notify_one();
        return item;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
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
