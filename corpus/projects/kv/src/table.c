#include "table.h"

#include "clock.h"
#include "stripe.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(kv_entry) + KV_KEY_MAX <= KV_SLAB_LARGEST, "the longest key fits into the largest slab class");

struct kv_table {
    kv_stripe *stripes;
    size_t stripe_count;
    size_t resize_step;
    bool limited;  // constant, as all above
    kv_lru lru;    // used only if there is a limit
    atomic_size_t items;
    atomic_size_t bytes;
    kv_stats *stats;
    kv_observer observer;
};

kv_table *kv_table_new(const kv_config *config, kv_stats *stats, kv_observer observer) {
    kv_table *table = kv_alloc_zeroed(1, sizeof *table);
    table->stripe_count = config->stripes;
    table->resize_step = config->resize_step;
    table->limited = config->max_items > 0 || config->max_bytes > 0;
    table->stats = stats;
    table->observer = observer;
    atomic_init(&table->items, 0);
    atomic_init(&table->bytes, 0);
    kv_lru_init(&table->lru, config->max_items, config->max_bytes);
    table->stripes = kv_alloc_zeroed(config->stripes, sizeof *table->stripes);
    for (size_t i = 0; i < config->stripes; i++)
        kv_stripe_init(&table->stripes[i], config->buckets);
    return table;
}

// Locks the key's stripe and lets it grow a bit.
static kv_stripe *enter(kv_table *table, uint64_t hash) {
    kv_stripe *stripe = &table->stripes[(hash >> 40) % table->stripe_count];
    kv_lock(&stripe->lock);
    kv_stripe_step(stripe, table->resize_step);
    return stripe;
}

static void leave(kv_stripe *stripe) {
    kv_unlock(&stripe->lock);
}

static size_t charge(const kv_entry *entry) {
    return sizeof *entry + entry->key_len + sizeof(kv_value) + entry->value->len;
}

static void notify(kv_table *table, kv_change change, const kv_entry *entry) {
    if (table->observer.changed)
        table->observer.changed(table->observer.context, change, kv_entry_key(entry), kv_value_slice(entry->value),
                                entry->expires_ms);
}

// Removes an entry that is no longer in the recency list. The caller lets go of the value that is returned, after unlocking.
static kv_value *drop_unlisted(kv_table *table, kv_stripe *stripe, kv_entry **link) {
    kv_entry *entry = *link;
    kv_value *value = entry->value;
    notify(table, KV_CHANGE_DEL, entry);
    atomic_fetch_sub_explicit(&table->bytes, charge(entry), memory_order_relaxed);
    atomic_fetch_sub_explicit(&table->items, 1, memory_order_relaxed);
    kv_stripe_remove(stripe, link);
    return value;
}

static kv_value *drop(kv_table *table, kv_stripe *stripe, kv_entry **link) {
    if (table->limited)
        kv_lru_remove(&table->lru, &(*link)->recency);
    return drop_unlisted(table, stripe, link);
}

static bool expired(const kv_entry *entry) {
    return entry->expires_ms != 0 && entry->expires_ms <= kv_now_ms();
}

// Like kv_stripe_find, but an entry whose time has come is removed on the spot. Its value goes to `dead`.
static kv_entry **find_live(kv_table *table, kv_stripe *stripe, uint64_t hash, kv_slice key, kv_value **dead) {
    kv_entry **link = kv_stripe_find(stripe, hash, key);
    *dead = NULL;
    if (link && expired(*link)) {
        kv_count(&table->stats->expired);
        *dead = drop(table, stripe, link);
        return NULL;
    }
    return link;
}

// Gives the entry a value, and with it a new version and no deadline. Returns the value it had.
static kv_value *replace(kv_table *table, kv_stripe *stripe, kv_entry *entry, kv_value *value) {
    kv_value *before = entry->value;
    atomic_fetch_add_explicit(&table->bytes, value->len, memory_order_relaxed);
    atomic_fetch_sub_explicit(&table->bytes, before->len, memory_order_relaxed);
    entry->value = value;
    entry->version = ++stripe->last_version;
    entry->expires_ms = 0;
    if (table->limited)
        kv_lru_touch(&table->lru, &entry->recency, charge(entry));
    kv_count(&table->stats->sets);
    notify(table, KV_CHANGE_SET, entry);
    return before;
}

static kv_entry *insert(kv_table *table, kv_stripe *stripe, uint64_t hash, kv_slice key, kv_value *value) {
    kv_entry *entry = kv_stripe_insert(stripe, hash, key);
    entry->value = value;
    entry->version = ++stripe->last_version;
    if (table->limited)
        kv_lru_add(&table->lru, &entry->recency, charge(entry));
    atomic_fetch_add_explicit(&table->bytes, charge(entry), memory_order_relaxed);
    atomic_fetch_add_explicit(&table->items, 1, memory_order_relaxed);
    if (kv_stripe_grow(stripe))
        kv_count(&table->stats->resizes);
    kv_count(&table->stats->sets);
    notify(table, KV_CHANGE_SET, entry);
    return entry;
}

// Removes the entry that was not used for the longest time, if the table is over its limit. False if it is not.
//
// The list leads to the entry, but the entry's stripe must be locked before the list. So the list is left again, the stripe
// locked, and the entry looked up anew: it may go if nobody has used it since, and nobody else has made room meanwhile.
static bool evict_oldest(kv_table *table) {
    char key_bytes[KV_KEY_MAX];
    kv_lock(&table->lru.lock);
    kv_lru_node *oldest = kv_lru_oldest(&table->lru);
    if (!oldest || !kv_lru_over_limit(&table->lru)) {
        kv_unlock(&table->lru.lock);
        return false;
    }
    const kv_entry *entry = (const kv_entry *)(const void *)((char *)oldest - offsetof(kv_entry, recency));
    uint64_t hash = entry->hash;
    uint64_t used = oldest->used;
    kv_slice key = {key_bytes, entry->key_len};
    memcpy(key_bytes, entry->key, entry->key_len);

    // BUG_LOCK_ORDER keeps the list locked while it waits for the stripe. Another thread that has the stripe and wants the list
    // waits for this one, and this one for it.
#ifndef BUG_LOCK_ORDER
    kv_unlock(&table->lru.lock);
#endif
    kv_stripe *stripe = enter(table, hash);
#ifndef BUG_LOCK_ORDER
    kv_lock(&table->lru.lock);
#endif
    kv_entry **link = kv_stripe_find(stripe, hash, key);
    bool goes = link && (*link)->recency.used == used && kv_lru_over_limit(&table->lru);
    if (goes)
        kv_lru_unlink(&table->lru, &(*link)->recency);
    kv_unlock(&table->lru.lock);

    kv_value *value = NULL;
    if (goes) {
        kv_count(&table->stats->evicted);
        value = drop_unlisted(table, stripe, link);
    }
    leave(stripe);
    kv_value_unref(value);
    return true;
}

// Whoever has added something comes here afterwards, with no lock held.
static void evict(kv_table *table) {
    while (table->limited && evict_oldest(table)) {
    }
}

kv_status kv_table_get(kv_table *table, kv_slice key, kv_value **value, uint64_t *version) {
    uint64_t hash = kv_slice_hash(key);
    kv_value *dead, *found = NULL;
    kv_stripe *stripe = enter(table, hash);
    kv_entry **link = find_live(table, stripe, hash, key, &dead);
    if (link) {
        found = (*link)->value;
        if (version)
            *version = (*link)->version;
        if (table->limited)
            kv_lru_touch(&table->lru, &(*link)->recency, charge(*link));
#ifndef BUG_REFCOUNT
        kv_value_ref(found);
#endif
    }
    leave(stripe);
    kv_value_unref(dead);
    if (!found) {
        kv_count(&table->stats->misses);
        return KV_NOT_FOUND;
    }
    kv_count(&table->stats->hits);
#ifdef BUG_REFCOUNT
    kv_value_ref(found);  // BUG: too late. Since the stripe was unlocked another thread may have replaced and freed the value.
#endif
    *value = found;
    return KV_OK;
}

static kv_status set_value(kv_table *table, kv_slice key, kv_value *value, uint64_t *version) {
    uint64_t hash = kv_slice_hash(key);
    kv_value *dead, *before = NULL;
    kv_stripe *stripe = enter(table, hash);
    kv_entry **link = find_live(table, stripe, hash, key, &dead);
    if (link)
        before = replace(table, stripe, *link, value);
    else
        insert(table, stripe, hash, key, value);
    if (version)
        *version = stripe->last_version;
    leave(stripe);
    kv_value_unref(before);
    kv_value_unref(dead);
    evict(table);
    return KV_OK;
}

kv_status kv_table_set(kv_table *table, kv_slice key, kv_slice value, uint64_t *version) {
    if (key.len > KV_KEY_MAX)
        return KV_TOO_LONG;
    return set_value(table, key, kv_value_new(value), version);
}

kv_status kv_table_del(kv_table *table, kv_slice key) {
    uint64_t hash = kv_slice_hash(key);
    kv_value *dead, *value = NULL;
    kv_stripe *stripe = enter(table, hash);
    kv_entry **link = find_live(table, stripe, hash, key, &dead);
    if (link) {
        kv_count(&table->stats->deletes);
        value = drop(table, stripe, link);
    }
    leave(stripe);
    kv_value_unref(dead);
    kv_value_unref(value);
    return link ? KV_OK : KV_NOT_FOUND;
}

static kv_value *number_value(int64_t number) {
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%lld", (long long)number);
    return kv_value_new((kv_slice){digits, (size_t)len});
}

kv_status kv_table_incr(kv_table *table, kv_slice key, int64_t by, int64_t *result) {
    if (key.len > KV_KEY_MAX)
        return KV_TOO_LONG;
    uint64_t hash = kv_slice_hash(key);
    kv_value *dead, *before = NULL;
    kv_status status = KV_OK;
    int64_t number = 0;
    kv_stripe *stripe = enter(table, hash);
    kv_entry **link = find_live(table, stripe, hash, key, &dead);
    if (link && !kv_slice_to_i64(kv_value_slice((*link)->value), &number)) {
        status = KV_NOT_A_NUMBER;
    } else if (__builtin_add_overflow(number, by, &number)) {
        status = KV_OVERFLOW;
    } else {
        uint64_t expires_ms = link ? (*link)->expires_ms : 0;
        kv_value *value = number_value(number);
        if (link) {
            before = replace(table, stripe, *link, value);
            if (expires_ms) {  // counting does not prolong a counter's life
                (*link)->expires_ms = expires_ms;
                notify(table, KV_CHANGE_EXPIRE, *link);
            }
        } else {
            insert(table, stripe, hash, key, value);
        }
        *result = number;
    }
    leave(stripe);
    kv_value_unref(before);
    kv_value_unref(dead);
    evict(table);
    return status;
}

kv_status kv_table_cas(kv_table *table, kv_slice key, uint64_t expected, kv_slice value, uint64_t *version) {
    uint64_t hash = kv_slice_hash(key);
    kv_value *dead, *unused = kv_value_new(value);
    kv_status status = KV_OK;
    kv_stripe *stripe = enter(table, hash);
    kv_entry **link = find_live(table, stripe, hash, key, &dead);
    if (!link) {
        status = KV_NOT_FOUND;
    } else if ((*link)->version != expected) {
        kv_count(&table->stats->conflicts);
        status = KV_CONFLICT;
    } else {
#ifdef BUG_CAS
        leave(stripe);  // BUG: between the comparison and the change another thread may change the key, and its change is lost.
        return set_value(table, key, unused, version);
#endif
        unused = replace(table, stripe, *link, unused);
        if (version)
            *version = stripe->last_version;
    }
    leave(stripe);
    kv_value_unref(unused);
    kv_value_unref(dead);
    evict(table);
    return status;
}

kv_status kv_table_expire_at(kv_table *table, kv_slice key, uint64_t expires_ms) {
    uint64_t hash = kv_slice_hash(key);
    kv_value *dead;
    kv_stripe *stripe = enter(table, hash);
    kv_entry **link = find_live(table, stripe, hash, key, &dead);
    if (link) {
        (*link)->expires_ms = expires_ms;
        notify(table, KV_CHANGE_EXPIRE, *link);
    }
    leave(stripe);
    kv_value_unref(dead);
    return link ? KV_OK : KV_NOT_FOUND;
}

kv_status kv_table_expire_due(kv_table *table, kv_slice key) {
    uint64_t hash = kv_slice_hash(key);
    kv_value *dead;
    kv_stripe *stripe = enter(table, hash);
    find_live(table, stripe, hash, key, &dead);
    leave(stripe);
    kv_status status = dead ? KV_OK : KV_NOT_FOUND;
    kv_value_unref(dead);
    return status;
}

typedef struct {
    kv_slice pattern;
    kv_strbuf *out;
    size_t count;
} key_list;

static bool list_key(void *context, kv_entry **link) {
    key_list *list = context;
    kv_slice key = kv_entry_key(*link);
    if (!expired(*link) && kv_slice_matches(key, list->pattern)) {
        kv_strbuf_quoted(list->out, key);
        kv_strbuf_char(list->out, '\n');
        list->count++;
    }
    return false;
}

size_t kv_table_keys(kv_table *table, kv_slice pattern, kv_strbuf *out) {
    key_list list = {pattern, out, 0};
    for (size_t i = 0; i < table->stripe_count; i++) {
        kv_lock(&table->stripes[i].lock);
        kv_stripe_each(&table->stripes[i], list_key, &list);
        kv_unlock(&table->stripes[i].lock);
    }
    return list.count;
}

size_t kv_table_items(kv_table *table) {
    return atomic_load_explicit(&table->items, memory_order_relaxed);
}

size_t kv_table_bytes(kv_table *table) {
    return atomic_load_explicit(&table->bytes, memory_order_relaxed);
}

typedef struct {
    kv_table *table;
    kv_stripe *stripe;
} emptying;

static bool discard(void *context, kv_entry **link) {
    emptying *state = context;
    kv_value_unref(drop(state->table, state->stripe, link));
    return true;
}

void kv_table_unobserve(kv_table *table) {
    table->observer.changed = NULL;
}

void kv_table_free(kv_table *table) {
    kv_table_unobserve(table);
    for (size_t i = 0; i < table->stripe_count; i++) {
        emptying state = {table, &table->stripes[i]};
        kv_stripe_each(&table->stripes[i], discard, &state);
        kv_stripe_destroy(&table->stripes[i]);
    }
    assert(kv_table_items(table) == 0 && kv_table_bytes(table) == 0);
    kv_lru_destroy(&table->lru);
    free(table->stripes);
    free(table);
}
