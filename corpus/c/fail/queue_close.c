// A queue that lives until it is closed: the receiver frees it as soon as it finds it closed and empty. Whoever closes it
// wakes the receiver after the unlock, and looks into the queue for that. By then it may have been freed.
// Source: our own.
// Repaired: pass/queue_close.c
//! check => bug kind=use-after-free bound=1

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define SLOTS 4

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int items[SLOTS];
    int first, end;
    int waiting; // receivers
    bool closed;
};

static struct queue *queue_new(void) {
    struct queue *q = calloc(1, sizeof *q);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    return q;
}

static void queue_free(struct queue *q) {
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static void queue_send(struct queue *q, int item) {
    pthread_mutex_lock(&q->lock);
    q->items[q->end++] = item;
    if (q->waiting > 0) {
        pthread_cond_signal(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
}

static void queue_close(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_mutex_unlock(&q->lock);
    // From here on the receiver may free the queue.
    if (q->waiting > 0) {
        pthread_cond_signal(&q->changed);
    }
}

static bool queue_receive(struct queue *q, int *item) {
    pthread_mutex_lock(&q->lock);
    while (q->first == q->end && !q->closed) {
        q->waiting++;
        pthread_cond_wait(&q->changed, &q->lock);
        q->waiting--;
    }
    bool found = q->first < q->end;
    if (found) {
        *item = q->items[q->first++];
    }
    pthread_mutex_unlock(&q->lock);
    return found;
}

static void *send_one(void *arg) {
    queue_send(arg, 5);
    queue_close(arg);
    return NULL;
}

static void *receive_all(void *arg) {
    int item, sum = 0;
    while (queue_receive(arg, &item)) {
        sum += item;
    }
    queue_free(arg);
    assert(sum == 5 && "an item was lost");
    return NULL;
}

int main(void) {
    pthread_t sender, receiver;
    struct queue *q = queue_new();
    pthread_create(&sender, NULL, send_one, q);
    pthread_create(&receiver, NULL, receive_all, q);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return 0;
}
