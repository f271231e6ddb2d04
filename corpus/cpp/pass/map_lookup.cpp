// A price list that grows under a lock and is looked up under the same lock.
// Source: the classic; a lock is needed on both sides.
// Buggy: fail/map_lookup.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <map>
#include <mutex>
#include <thread>

class PriceList {
public:
    void add(int article, int price) {
        std::lock_guard<std::mutex> lock(mutex_);
        prices_.emplace(article, price);
    }

    // The price, or 0 if there is none.
    int price(int article) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = prices_.find(article);
        return found == prices_.end() ? 0 : found->second;
    }

private:
    std::mutex mutex_;
    std::map<int, int> prices_;
};

int main() {
    PriceList list;
    list.add(1, 10);
    int price = 0;
    std::thread clerk([&] { list.add(2, 20); });
    std::thread customer([&] { price = list.price(2); });
    clerk.join();
    customer.join();
    assert(price == 0 || price == 20);
    return 0;
}
