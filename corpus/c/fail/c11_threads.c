// A mailbox of one place, with C11 threads. The sender waits while it is full, and the receiver while it is empty. The receiver tells
// nobody that it has emptied it: a sender that waits by then sleeps on, and so does the receiver soon.
// Source: our own; C11 7.26.
// Repaired: pass/c11_threads.c
//! check => bug kind=deadlock bound=0

#include <assert.h>
#include <threads.h>

#define MESSAGES 2

static mtx_t lock;
static cnd_t changed;
// A message, or 0.
static int box;

static int send_all(void *unused) {
    (void)unused;
    for (int i = 1; i <= MESSAGES; i++) {
        mtx_lock(&lock);
        while (box != 0) {
            cnd_wait(&changed, &lock);
        }
        box = i;
        cnd_signal(&changed);
        mtx_unlock(&lock);
    }
    return 0;
}

static int receive_all(void *unused) {
    (void)unused;
    int sum = 0;
    for (int i = 1; i <= MESSAGES; i++) {
        mtx_lock(&lock);
        while (box == 0) {
            cnd_wait(&changed, &lock);
        }
        sum += box;
        box = 0;
        mtx_unlock(&lock);
    }
    return sum;
}

int main(void) {
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_t sender, receiver;
    thrd_create(&sender, send_all, NULL);
    thrd_create(&receiver, receive_all, NULL);
    int sum;
    thrd_join(sender, NULL);
    thrd_join(receiver, &sum);
    assert(sum == 3);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return 0;
}
