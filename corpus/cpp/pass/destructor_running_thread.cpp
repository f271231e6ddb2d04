// A heart beat that runs in a thread of its object. The destructor joins the thread.
// Source: the classic; C++ Core Guidelines, CP.26.
// Buggy: fail/destructor_running_thread.cpp
//! check --cflags -std=gnu++20 => verified

#include <cassert>
#include <latch>
#include <memory>
#include <thread>

std::latch finished{1};

class HeartBeat {
public:
    explicit HeartBeat(int& last) : last_(last) {
        thread_ = std::thread([this] { run(); });
    }

    ~HeartBeat() { thread_.join(); }

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
    std::thread thread_;
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
