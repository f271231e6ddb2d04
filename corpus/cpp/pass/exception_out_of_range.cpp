// One thread clears a list of guests while another one greets the first of them. The greeter asks for the size and for the first guest
// under one lock.
// Source: C++ Concurrency in Action, section 3.2.3: races inherent in interfaces.
// Buggy: fail/exception_out_of_range.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

class GuestList {
public:
    explicit GuestList(int guest) : guests_{guest} {}

    void clear() {
        std::lock_guard<std::mutex> lock(mutex_);
        guests_.clear();
    }

    // The first guest, or 0 if there is none.
    int first() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (guests_.size() == 0) {
            return 0;
        }
        return guests_.at(0);
    }

private:
    std::mutex mutex_;
    std::vector<int> guests_;
};

int main() {
    GuestList list(31);
    int greeted = 0;
    std::thread greeter([&] { greeted = list.first(); });
    std::thread cleaner([&] { list.clear(); });
    greeter.join();
    cleaner.join();
    assert(greeted == 0 || greeted == 31);
    return 0;
}
