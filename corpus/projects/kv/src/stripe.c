#include "stripe.h"

#include "status.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void kv_stripe_init(kv_stripe *stripe, size_t buckets) {
    *stripe = (kv_stripe){.size = buckets, .slab = KV_SLAB_EMPTY};
    kv_mutex_init(&stripe->lock);
    stripe->buckets = kv_alloc_zeroed(buckets, sizeof *stripe->buckets);
}

void kv_stripe_destroy(kv_stripe *stripe) {
    assert(stripe->count == 0);
    kv_slab_free(&stripe->slab);
    free(stripe->buckets);
    free(stripe->old);
    kv_mutex_destroy(&stripe->lock);
}

kv_slice kv_entry_key(const kv_entry *entry) {
    return (kv_slice){entry->key, entry->key_len};
}

static kv_entry **find_in(kv_entry **bucket, uint64_t hash, kv_slice key) {
    for (kv_entry **link = bucket; *link; link = &(*link)->next)
        if ((*link)->hash == hash && kv_slice_equal(kv_entry_key(*link), key))
            return link;
    return NULL;
}

kv_entry **kv_stripe_find(kv_stripe *stripe, uint64_t hash, kv_slice key) {
    kv_entry **link = find_in(&stripe->buckets[hash & (stripe->size - 1)], hash, key);
    if (!link && stripe->old)
        link = find_in(&stripe->old[hash & (stripe->old_size - 1)], hash, key);
    return link;
}

static void push(kv_stripe *stripe, kv_entry *entry) {
    kv_entry **bucket = &stripe->buckets[entry->hash & (stripe->size - 1)];
    entry->next = *bucket;
    *bucket = entry;
}

kv_entry *kv_stripe_insert(kv_stripe *stripe, uint64_t hash, kv_slice key) {
    kv_entry *entry = kv_slab_alloc(&stripe->slab, sizeof *entry + key.len);
    *entry = (kv_entry){.hash = hash, .key_len = key.len};
    memcpy(entry->key, key.data, key.len);
    push(stripe, entry);
    stripe->count++;
    return entry;
}

void kv_stripe_remove(kv_stripe *stripe, kv_entry **link) {
    kv_entry *entry = *link;
    *link = entry->next;
    stripe->count--;
    kv_slab_release(&stripe->slab, entry, sizeof *entry + entry->key_len);
}

bool kv_stripe_grow(kv_stripe *stripe) {
    if (stripe->old || stripe->count <= stripe->size)
        return false;
    stripe->old = stripe->buckets;
    stripe->old_size = stripe->size;
    stripe->moved = 0;
    stripe->size *= 2;
    stripe->buckets = kv_alloc_zeroed(stripe->size, sizeof *stripe->buckets);
    return true;
}

void kv_stripe_step(kv_stripe *stripe, size_t steps) {
    if (!stripe->old)
        return;
    for (; steps > 0 && stripe->moved < stripe->old_size; steps--) {
        kv_entry **bucket = &stripe->old[stripe->moved++];
        while (*bucket) {
            kv_entry *entry = *bucket;
            *bucket = entry->next;
            push(stripe, entry);
        }
    }
    if (stripe->moved == stripe->old_size) {
        free(stripe->old);
        stripe->old = NULL;
        stripe->old_size = 0;
    }
}

static void each_in(kv_entry **buckets, size_t size, bool (*each)(void *, kv_entry **), void *context) {
    for (size_t i = 0; i < size; i++)
        for (kv_entry **link = &buckets[i]; *link;)
            if (!each(context, link))
                link = &(*link)->next;
}

void kv_stripe_each(kv_stripe *stripe, bool (*each)(void *context, kv_entry **link), void *context) {
    each_in(stripe->buckets, stripe->size, each, context);
    if (stripe->old)
        each_in(stripe->old, stripe->old_size, each, context);
}
