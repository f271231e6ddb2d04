// A table of sessions. A request finds its session under the lock, gives the lock back and goes on with the iterator. A logout erases
// the session meanwhile, and the request reads a node that has been freed.
// Source: the classic; an iterator ends with its element.
// Repaired: pass/map_iterator.cpp
//! check --cflags -std=gnu++20 => bug kind=use-after-free bound=1

#include <cassert>
#include <mutex>
#include <thread>
#include <unordered_map>

class Sessions {
public:
    void login(int user, int rights) {
        std::lock_guard<std::mutex> lock(mutex_);
        rights_[user] = rights;
    }

    void logout(int user) {
        std::lock_guard<std::mutex> lock(mutex_);
        rights_.erase(user);
    }

    // The rights of a user, or 0 if there is no session.
    int rights(int user) {
        std::unique_lock<std::mutex> lock(mutex_);
        auto session = rights_.find(user);
        if (session == rights_.end()) {
            return 0;
        }
        lock.unlock();
        return session->second;
    }

private:
    std::mutex mutex_;
    std::unordered_map<int, int> rights_;
};

int main() {
    Sessions sessions;
    sessions.login(1, 7);
    int rights = 0;
    std::thread request([&] { rights = sessions.rights(1); });
    std::thread leaving([&] { sessions.logout(1); });
    request.join();
    leaving.join();
    assert(rights == 0 || rights == 7);
    return 0;
}
