// Scenarios without sockets: two threads call the table. They are the smallest.
#include "scenario.h"

static const kv_observer nobody = {NULL, NULL};

typedef struct {
    kv_table *table;
    uint64_t version;
    const char *value;
    kv_status status;
} swap_call;

static void *read_and_swap(void *argument) {
    swap_call *call = argument;
    kv_value *value = NULL;
    assert(kv_table_get(call->table, KV_SLICE("k"), &value, NULL) == KV_OK);
    kv_slice bytes = kv_value_slice(value);
    assert(kv_slice_equal(bytes, KV_SLICE("old")) || bytes.data[0] == '+');
    kv_value_unref(value);
    call->status = kv_table_cas(call->table, KV_SLICE("k"), call->version, kv_slice_of(call->value), NULL);
    return NULL;
}

// Both threads read the value and want to replace the same version of it. One succeeds.
static void run_direct(const kv_config *config) {
    kv_stats stats = {0};
    kv_table *table = kv_table_new(config, &stats, nobody);
    uint64_t version;
    assert(kv_table_set(table, KV_SLICE("k"), KV_SLICE("old"), &version) == KV_OK);
    swap_call mine = {table, version, "+mine", KV_OK};
    swap_call theirs = {table, version, "+theirs", KV_OK};
    pthread_t thread = kv_thread_start(read_and_swap, &theirs);
    read_and_swap(&mine);
    kv_thread_join(thread);

    assert((mine.status == KV_OK) != (theirs.status == KV_OK));
    assert((mine.status == KV_CONFLICT) != (theirs.status == KV_CONFLICT));
    assert(kv_counted(&stats.hits) == 2);
    assert(kv_counted(&stats.sets) == 2);
    assert(kv_counted(&stats.conflicts) == 1);
    assert(table_has(table, "k", mine.status == KV_OK ? "+mine" : "+theirs"));
    kv_table_free(table);
}

static void *set_other(void *argument) {
    assert(kv_table_set(argument, KV_SLICE("b"), KV_SLICE("2"), NULL) == KV_OK);
    return NULL;
}

// There is room for one entry, and it is taken. Each thread adds one: two must go.
static void run_direct_evict(const kv_config *config) {
    kv_stats stats = {0};
    kv_table *table = kv_table_new(config, &stats, nobody);
    assert(kv_table_set(table, KV_SLICE("a"), KV_SLICE("1"), NULL) == KV_OK);
    pthread_t thread = kv_thread_start(set_other, table);
    assert(kv_table_set(table, KV_SLICE("c"), KV_SLICE("3"), NULL) == KV_OK);
    kv_thread_join(thread);

    assert(kv_table_items(table) == 1);
    assert(kv_counted(&stats.evicted) == 2);
    assert(table_has(table, "a", NULL));
    assert(table_has(table, "b", "2") != table_has(table, "c", "3"));
    kv_table_free(table);
}

const scenario direct_scenarios[] = {
    {"direct", "no sockets: two threads read a key and replace the same version of it", "", run_direct},
    {"direct-evict", "no sockets: two threads add keys where there is room for one", "max_items = 1\n", run_direct_evict},
    {NULL, NULL, NULL, NULL},
};
