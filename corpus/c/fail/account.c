// Two threads transfer money between two accounts. Each reads both balances under the lock, works out the new ones, and
// takes the lock again to write them. A transfer that comes in between is lost.
// Source: the lost update, the classic.
// Repaired: pass/account.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct account {
    int balance;
};

struct order {
    struct account *from, *to;
    int amount;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct account savings = {100};
static struct account current = {100};

static void *transfer(void *arg) {
    const struct order *order = arg;
    pthread_mutex_lock(&lock);
    int from = order->from->balance;
    int to = order->to->balance;
    pthread_mutex_unlock(&lock);
    // What was read may be out of date from here on.
    pthread_mutex_lock(&lock);
    order->from->balance = from - order->amount;
    order->to->balance = to + order->amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct order orders[2] = {{&savings, &current, 30}, {&current, &savings, 50}};
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, transfer, &orders[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(savings.balance + current.balance == 200);
    assert(savings.balance == 120 && "a transfer was lost");
    return 0;
}
