// A consumer that finds the queue empty waits once and then takes an item without another look. A hasty one, which does not wait, may
// have taken the item between the notification and the end of the wait.
// Source: the classic; C++ Core Guidelines, CP.42.
// Repaired: pass/cv_no_predicate.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=0

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

class Queue {
public:
    void put(int item) {
        std::lock_guard<std::mutex> lock(mutex_);
        items_.push(item);
        filled_.notify_one();
    }

    int take() {
        std::unique_lock<std::mutex> lock(mutex_);
        if (items_.empty()) {
            filled_.wait(lock);
        }
        assert(!items_.empty());
        int item = items_.front();
        items_.pop();
        return item;
    }

    std::optional<int> try_take() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (items_.empty()) {
            return std::nullopt;
        }
        int item = items_.front();
        items_.pop();
        return item;
    }

private:
    std::mutex mutex_;
    std::condition_variable filled_;
    std::queue<int> items_;
};

int main() {
    Queue queue;
    int taken = 0;
    std::optional<int> snatched;
    std::thread patient([&] { taken = queue.take(); });
    std::thread hasty([&] { snatched = queue.try_take(); });
    std::thread producer([&] { queue.put(1); });
    hasty.join();
    producer.join();
    if (snatched) {
        queue.put(2);
    }
    patient.join();
    assert(taken == (snatched ? 2 : 1));
    return 0;
}
