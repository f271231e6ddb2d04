#include "expiry.h"

#include "clock.h"
#include "sync.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t expires_ms;
    char *key;
    size_t key_len;
} deadline;

struct kv_expiry {
    pthread_mutex_t lock;    // guards all below but for `table` and `thread`
    pthread_cond_t changed;  // the timer waits here for an earlier deadline, or the end
    pthread_cond_t settled;  // who waits for the timer waits here
    deadline *heap;          // the earliest first; each no earlier than its parent at (i - 1) / 2
    size_t count;
    size_t room;
    bool busy;               // the timer has taken a deadline out and is not done with it
    bool stopping;
    kv_table *table;
    pthread_t thread;
};

static void swap(deadline *a, deadline *b) {
    deadline kept = *a;
    *a = *b;
    *b = kept;
}

static void heap_push(kv_expiry *expiry, deadline item) {
    if (expiry->count == expiry->room) {
        expiry->room = expiry->room ? expiry->room * 2 : 8;
        expiry->heap = kv_realloc(expiry->heap, expiry->room * sizeof *expiry->heap);
    }
    size_t i = expiry->count++;
    expiry->heap[i] = item;
    while (i > 0 && expiry->heap[(i - 1) / 2].expires_ms > expiry->heap[i].expires_ms) {
        swap(&expiry->heap[(i - 1) / 2], &expiry->heap[i]);
        i = (i - 1) / 2;
    }
}

static deadline heap_pop(kv_expiry *expiry) {
    deadline *heap = expiry->heap;
    deadline first = heap[0];
    heap[0] = heap[--expiry->count];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < expiry->count; child++)
            if (heap[child].expires_ms < heap[least].expires_ms)
                least = child;
        if (least == i)
            return first;
        swap(&heap[i], &heap[least]);
        i = least;
    }
}

static bool is_due(const kv_expiry *expiry) {
    return expiry->count > 0 && expiry->heap[0].expires_ms <= kv_now_ms();
}

static void expire_first(kv_expiry *expiry) {
    deadline first = heap_pop(expiry);
    expiry->busy = true;
    kv_unlock(&expiry->lock);  // the table has locks of its own, and they come first

    kv_table_expire_due(expiry->table, (kv_slice){first.key, first.key_len});
    free(first.key);

    kv_lock(&expiry->lock);
    expiry->busy = false;
    kv_broadcast(&expiry->settled);
}

static void *run_timer(void *argument) {
    kv_expiry *expiry = argument;
    kv_lock(&expiry->lock);
    while (!expiry->stopping) {
        if (expiry->count == 0)
            kv_wait(&expiry->changed, &expiry->lock);
        else if (is_due(expiry))
            expire_first(expiry);
        else
            kv_wait_until(&expiry->changed, &expiry->lock, expiry->heap[0].expires_ms);
    }
    kv_unlock(&expiry->lock);
    return NULL;
}

kv_expiry *kv_expiry_start(kv_table *table) {
    kv_expiry *expiry = kv_alloc_zeroed(1, sizeof *expiry);
    kv_mutex_init(&expiry->lock);
    kv_cond_init(&expiry->changed);
    kv_cond_init(&expiry->settled);
    expiry->table = table;
    expiry->thread = kv_thread_start(run_timer, expiry);
    return expiry;
}

void kv_expiry_stop(kv_expiry *expiry) {
    kv_lock(&expiry->lock);
    expiry->stopping = true;
    kv_signal(&expiry->changed);
    kv_unlock(&expiry->lock);
    kv_thread_join(expiry->thread);

    for (size_t i = 0; i < expiry->count; i++)
        free(expiry->heap[i].key);
    free(expiry->heap);
    kv_cond_destroy(&expiry->settled);
    kv_cond_destroy(&expiry->changed);
    kv_mutex_destroy(&expiry->lock);
    free(expiry);
}

void kv_expiry_add(kv_expiry *expiry, kv_slice key, uint64_t expires_ms) {
    deadline item = {expires_ms, kv_alloc(key.len), key.len};
    memcpy(item.key, key.data, key.len);
    kv_lock(&expiry->lock);
    heap_push(expiry, item);
    if (expiry->heap[0].key == item.key)
        kv_signal(&expiry->changed);
    kv_unlock(&expiry->lock);
}

void kv_expiry_settle(kv_expiry *expiry) {
    kv_lock(&expiry->lock);
    while (!expiry->stopping && (expiry->busy || is_due(expiry)))
        kv_wait(&expiry->settled, &expiry->lock);
    kv_unlock(&expiry->lock);
}
