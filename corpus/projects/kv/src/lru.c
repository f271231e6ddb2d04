#include "lru.h"

#include <assert.h>

void kv_lru_init(kv_lru *lru, size_t max_count, size_t max_bytes) {
    *lru = (kv_lru){.max_count = max_count, .max_bytes = max_bytes};
    kv_mutex_init(&lru->lock);
    lru->ends.older = lru->ends.newer = &lru->ends;
}

void kv_lru_destroy(kv_lru *lru) {
    assert(lru->ends.newer == &lru->ends);
    kv_mutex_destroy(&lru->lock);
}

static void link_newest(kv_lru *lru, kv_lru_node *node, size_t bytes) {
    lru->count++;
    lru->bytes += bytes;
    node->bytes = bytes;
    node->used = ++lru->time;
    node->newer = &lru->ends;
    node->older = lru->ends.older;
    node->older->newer = node;
    lru->ends.older = node;
}

void kv_lru_unlink(kv_lru *lru, kv_lru_node *node) {
    lru->count--;
    lru->bytes -= node->bytes;
    node->older->newer = node->newer;
    node->newer->older = node->older;
    node->older = node->newer = NULL;
}

void kv_lru_add(kv_lru *lru, kv_lru_node *node, size_t bytes) {
    kv_lock(&lru->lock);
    link_newest(lru, node, bytes);
    kv_unlock(&lru->lock);
}

void kv_lru_touch(kv_lru *lru, kv_lru_node *node, size_t bytes) {
    kv_lock(&lru->lock);
    kv_lru_unlink(lru, node);
    link_newest(lru, node, bytes);
    kv_unlock(&lru->lock);
}

void kv_lru_remove(kv_lru *lru, kv_lru_node *node) {
    kv_lock(&lru->lock);
    kv_lru_unlink(lru, node);
    kv_unlock(&lru->lock);
}

bool kv_lru_over_limit(const kv_lru *lru) {
    return (lru->max_count > 0 && lru->count > lru->max_count) || (lru->max_bytes > 0 && lru->bytes > lru->max_bytes);
}

kv_lru_node *kv_lru_oldest(kv_lru *lru) {
    return lru->ends.newer == &lru->ends ? NULL : lru->ends.newer;
}
