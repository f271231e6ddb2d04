// The order in which entries were last used, and how much they may take up together: a list under a lock of its own, threaded through the
// entries.
// A node that is in the list belongs to a live entry: entries leave the list before they are freed.
#ifndef KV_LRU_H
#define KV_LRU_H

#include "sync.h"

#include <stddef.h>

typedef struct kv_lru_node {
    struct kv_lru_node *older;
    struct kv_lru_node *newer;
    uint64_t used;  // when it was last used; no two uses have the same time
    size_t bytes;
} kv_lru_node;

typedef struct {
    pthread_mutex_t lock;  // guards all below, and all nodes in the list
    kv_lru_node ends;      // ends.newer is the oldest, ends.older the newest
    uint64_t time;
    size_t count;          // of nodes in the list, and their bytes
    size_t bytes;
    size_t max_count;      // constant; 0: no limit
    size_t max_bytes;
} kv_lru;

void kv_lru_init(kv_lru *lru, size_t max_count, size_t max_bytes);
void kv_lru_destroy(kv_lru *lru);

// These take the lock.
void kv_lru_add(kv_lru *lru, kv_lru_node *node, size_t bytes);
void kv_lru_touch(kv_lru *lru, kv_lru_node *node, size_t bytes);
void kv_lru_remove(kv_lru *lru, kv_lru_node *node);

// These want it held.
bool kv_lru_over_limit(const kv_lru *lru);
kv_lru_node *kv_lru_oldest(kv_lru *lru);  // NULL if the list is empty
void kv_lru_unlink(kv_lru *lru, kv_lru_node *node);

#endif
