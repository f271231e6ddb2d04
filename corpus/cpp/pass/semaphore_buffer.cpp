// A ring of two places between a producer and a consumer, kept by two semaphores. The producer writes an item and then announces it.
// Source: the classic bounded buffer with semaphores; the mistake is our own.
// Buggy: fail/semaphore_buffer.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <cstddef>
#include <semaphore>
#include <thread>

class Ring {
public:
    void put(int item) {
        room_.acquire();
        places_[head_] = item;
        head_ = (head_ + 1) % 2;
        items_.release();
    }

    int take() {
        items_.acquire();
        int item = places_[tail_];
        tail_ = (tail_ + 1) % 2;
        room_.release();
        return item;
    }

private:
    std::counting_semaphore<2> room_{2};
    std::counting_semaphore<2> items_{0};
    int places_[2] = {0, 0};
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
};

int main() {
    Ring ring;
    int sum = 0;
    std::thread producer([&] {
        ring.put(1);
        ring.put(2);
    });
    std::thread consumer([&] {
        sum += ring.take();
        sum += ring.take();
    });
    producer.join();
    consumer.join();
    assert(sum == 3);
    return 0;
}
