// A heart beat that runs in a detached thread of its object. Nothing makes the destructor wait for that thread: it counts its beats in
// an object that has been freed.
// Source: the classic; C++ Core Guidelines, CP.26.
// Repaired: pass/destructor_running_thread.cpp
//! check --cflags -std=gnu++20 => bug kind=use-after-free bound=0

#include <cassert>
#include <latch>
#include <memory>
#include <thread>

std::latch finished{1};

class HeartBeat {
public:
    explicit HeartBeat(int& last) : last_(last) {
        std::thread([this] { run(); }).detach();
    }

private:
    void run() {
        for (int i = 0; i < 2; ++i) {
            ++beats_;
        }
        last_ = beats_;
        finished.count_down();
    }

    int beats_ = 0;
    int& last_;
};

int main() {
    int last = 0;
    {
        auto heart_beat = std::make_unique<HeartBeat>(last);
    }
    finished.wait();
    assert(last == 2);
    return 0;
}
