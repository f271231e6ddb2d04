// One thread clears a list of guests while another one greets the first of them. The greeter asks for the size and for the first guest
// under two locks: in between the list is cleared, and std::vector::at throws in a thread that catches nothing.
// Source: C++ Concurrency in Action, section 3.2.3: races inherent in interfaces.
// Repaired: pass/exception_out_of_range.cpp
//! check --cflags -std=gnu++20 => bug kind=exception bound=1

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
        if (size() == 0) {
            return 0;
        }
        std::lock_guard<std::mutex> lock(mutex_);
        return guests_.at(0);
    }

    std::size_t size() {
        std::lock_guard<std::mutex> lock(mutex_);
        return guests_.size();
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
