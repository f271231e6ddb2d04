#include "store.h"

#include "clock.h"

#include <stdlib.h>

kv_store *kv_store_open(const kv_config *config, kv_sink sink) {
    kv_store *store = kv_alloc_zeroed(1, sizeof *store);
    kv_observer observer = {NULL, NULL};
    store->config = *config;
    if (config->log) {
        store->log = kv_log_start(config, &store->stats, sink);
        observer = kv_log_observer(store->log);
    }
    store->table = kv_table_new(config, &store->stats, observer);
    if (config->timer)
        store->expiry = kv_expiry_start(store->table);
    return store;
}

kv_status kv_store_stop(kv_store *store) {
    kv_status status = KV_OK;
    if (store->expiry)  // first: what expires is logged
        kv_expiry_stop(store->expiry);
    kv_table_unobserve(store->table);  // a key that expires when it is read later must not reach a log that is gone
    if (store->log)
        status = kv_log_stop(store->log);
    store->expiry = NULL;
    store->log = NULL;
    return status;
}

void kv_store_free(kv_store *store) {
    kv_table_free(store->table);
    free(store);
}

kv_status kv_store_expire(kv_store *store, kv_slice key, uint64_t after_ms) {
    uint64_t expires_ms = after_ms ? kv_now_ms() + after_ms : 0;
    kv_status status = kv_table_expire_at(store->table, key, expires_ms);
    if (status == KV_OK && expires_ms && store->expiry)
        kv_expiry_add(store->expiry, key, expires_ms);
    return status;
}

void kv_store_settle(kv_store *store) {
    if (store->expiry)
        kv_expiry_settle(store->expiry);
}

kv_status kv_store_sync(kv_store *store) {
    return store->log ? kv_log_sync(store->log) : KV_OK;
}
