// A bank that keeps two balances and works off its messages one by one in a thread of its own. A visitor does not send a message but
// looks at the balances directly, and sees money that has left one and not reached the other.
// Source: our own; the state of an actor belongs to its thread.
// Repaired: pass/actor_bypassed.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

class Bank {
public:
    // Works off a given number of messages and then ends.
    explicit Bank(int messages) : thread_([this, messages] { run(messages); }) {}

    ~Bank() { thread_.join(); }

    void transfer(int amount) {
        send([this, amount] {
            checking_ -= amount;
            savings_ += amount;
        });
    }

    int total() {
        send([] {});
        return checking_ + savings_;
    }

private:
    void send(std::function<void()> message) {
        std::lock_guard<std::mutex> lock(mutex_);
        mailbox_.push_back(std::move(message));
        arrived_.notify_one();
    }

    void run(int messages) {
        for (int i = 0; i < messages; ++i) {
            std::unique_lock<std::mutex> lock(mutex_);
            arrived_.wait(lock, [&] { return !mailbox_.empty(); });
            std::function<void()> message = std::move(mailbox_.front());
            mailbox_.pop_front();
            lock.unlock();
            message();
        }
    }

    int checking_ = 100;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::function<void()>> mailbox_;
    int savings_ = 0;
    std::thread thread_;
};

int main() {
    auto bank = std::make_unique<Bank>(2);
    bank->transfer(30);
    assert(bank->total() == 100);
    return 0;
}
