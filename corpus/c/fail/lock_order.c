// Two transfers between two accounts, in opposite directions. Each locks the account it takes from, and then the other one. If one
// is preempted between the two, each ends up with one lock and waits for the other.
// Source: folklore; CERT C POS51-C (lock in a predefined order).
// Repaired: pass/lock_order.c
//! check => bug kind=deadlock bound=1

#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[2] = {
    {PTHREAD_MUTEX_INITIALIZER, 100},
    {PTHREAD_MUTEX_INITIALIZER, 100},
};

static void transfer(int from, int to, int amount) {
    pthread_mutex_lock(&accounts[from].lock);
    // The other transfer may hold the second lock, and want the first.
    pthread_mutex_lock(&accounts[to].lock);
    accounts[from].balance -= amount;
    accounts[to].balance += amount;
    pthread_mutex_unlock(&accounts[to].lock);
    pthread_mutex_unlock(&accounts[from].lock);
}

static void *there(void *unused) {
    (void)unused;
    transfer(0, 1, 30);
    return NULL;
}

static void *back(void *unused) {
    (void)unused;
    transfer(1, 0, 10);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, there, NULL);
    pthread_create(&threads[1], NULL, back, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(accounts[0].balance == 80);
    assert(accounts[1].balance == 120);
    return 0;
}
