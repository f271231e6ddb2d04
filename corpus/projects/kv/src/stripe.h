// One stripe of the table: a chained hash table that grows step by step. Private to the table; whoever calls holds the stripe's lock.
//
// While a stripe grows it has two arrays. Buckets of the old one below `moved` are empty, their entries have gone to the new one.
// New entries go to the new array.
#ifndef KV_STRIPE_H
#define KV_STRIPE_H

#include "lru.h"
#include "slab.h"
#include "value.h"

typedef struct kv_entry {
    struct kv_entry *next;  // in the bucket
    kv_lru_node recency;    // under the list's lock; unused if the table has no limit
    kv_value *value;        // never NULL; the entry holds one reference
    uint64_t hash;          // constant, as are key and key_len
    uint64_t version;
    uint64_t expires_ms;    // 0: never
    size_t key_len;
    char key[];
} kv_entry;

typedef struct {
    pthread_mutex_t lock;   // guards all below, and the entries but for `recency`
    kv_entry **buckets;
    size_t size;            // a power of two
    kv_entry **old;         // NULL unless growing
    size_t old_size;
    size_t moved;
    size_t count;
    uint64_t last_version;  // one sequence per stripe: a key that is deleted and set anew does not repeat a version
    kv_slab slab;
} kv_stripe;

void kv_stripe_init(kv_stripe *stripe, size_t buckets);
// Must be empty.
void kv_stripe_destroy(kv_stripe *stripe);

// The link that points to the entry, or NULL. It is good until the stripe is changed or unlocked.
kv_entry **kv_stripe_find(kv_stripe *stripe, uint64_t hash, kv_slice key);
kv_entry *kv_stripe_insert(kv_stripe *stripe, uint64_t hash, kv_slice key);
// Takes the entry out and frees it. Its value and its place in the recency list are the caller's affair.
void kv_stripe_remove(kv_stripe *stripe, kv_entry **link);

// Begins to grow if there are more entries than buckets and it is not growing already. True if it does.
bool kv_stripe_grow(kv_stripe *stripe);
// Moves up to `steps` buckets.
void kv_stripe_step(kv_stripe *stripe, size_t steps);

// Calls `each` for every entry. It may remove the entry it is called for through the link, then it returns true.
void kv_stripe_each(kv_stripe *stripe, bool (*each)(void *context, kv_entry **link), void *context);

kv_slice kv_entry_key(const kv_entry *entry);

#endif
