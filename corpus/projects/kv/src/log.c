#include "log.h"

#include "clock.h"
#include "record.h"
#include "sync.h"

#include <stdlib.h>

struct kv_log {
    pthread_mutex_t lock;    // guards all below but for what is constant
    pthread_cond_t more;     // the flusher waits here for records, or for a reason not to wait longer
    pthread_cond_t flushed;  // wait here: who appends to a full buffer, and who wants all records flushed
    kv_strbuf pending;       // records that the flusher has not taken yet
    uint64_t last;           // number of the newest record
    uint64_t flushed_upto;   // all records up to this one have gone to the sink
    uint64_t wanted;         // somebody waits for the records up to this one
    bool failed;             // the sink has refused records
    bool stopping;
    // Constant.
    size_t flush_bytes;
    size_t flush_ms;
    size_t limit_bytes;
    kv_sink sink;
    kv_stats *stats;
    pthread_t flusher;
};

static bool must_flush(const kv_log *log) {
    return log->stopping || log->pending.len >= log->flush_bytes || log->wanted > log->flushed_upto;
}

// Waits for records, then for more of them, until there are enough or the first has waited long enough. False: there will be none.
static bool wait_for_batch(kv_log *log) {
    while (log->pending.len == 0 && !log->stopping)
        kv_wait(&log->more, &log->lock);
    if (log->pending.len == 0)
        return false;
    uint64_t deadline_ms = kv_now_ms() + log->flush_ms;
    while (!must_flush(log))
        if (!kv_wait_until(&log->more, &log->lock, deadline_ms))
            break;
    return true;
}

static void *flush_batches(void *argument) {
    kv_log *log = argument;
    kv_strbuf batch = KV_STRBUF_EMPTY;
    kv_lock(&log->lock);
    while (wait_for_batch(log)) {
        kv_strbuf_swap(&log->pending, &batch);
        uint64_t upto = log->last;
        kv_unlock(&log->lock);

        bool written = log->sink.write(log->sink.context, kv_strbuf_slice(&batch));
        kv_count(&log->stats->log_flushes);
        kv_strbuf_clear(&batch);

        kv_lock(&log->lock);
        log->failed |= !written;
        log->flushed_upto = upto;
        kv_broadcast(&log->flushed);
    }
    kv_unlock(&log->lock);
    kv_strbuf_free(&batch);
    return NULL;
}

kv_log *kv_log_start(const kv_config *config, kv_stats *stats, kv_sink sink) {
    kv_log *log = kv_alloc_zeroed(1, sizeof *log);
    kv_mutex_init(&log->lock);
    kv_cond_init(&log->more);
    kv_cond_init(&log->flushed);
    log->flush_bytes = config->log_flush_bytes;
    log->flush_ms = config->log_flush_ms;
    log->limit_bytes = config->log_limit_bytes;
    log->sink = sink;
    log->stats = stats;
    log->flusher = kv_thread_start(flush_batches, log);
    return log;
}

kv_status kv_log_stop(kv_log *log) {
    kv_lock(&log->lock);
    log->stopping = true;
    kv_signal(&log->more);
    kv_unlock(&log->lock);
    kv_thread_join(log->flusher);

    kv_status status = log->failed ? KV_IO : KV_OK;
    kv_strbuf_free(&log->pending);
    kv_cond_destroy(&log->flushed);
    kv_cond_destroy(&log->more);
    kv_mutex_destroy(&log->lock);
    free(log);
    return status;
}

void kv_log_append(kv_log *log, kv_change change, kv_slice key, kv_slice value, uint64_t expires_ms) {
    kv_lock(&log->lock);
    while (log->pending.len >= log->limit_bytes)
        kv_wait(&log->flushed, &log->lock);
    bool was_empty = log->pending.len == 0;
    kv_record record = {++log->last, change, key, value, expires_ms};
    kv_record_write(&record, &log->pending);
    if (was_empty || must_flush(log))
        kv_signal(&log->more);
    kv_unlock(&log->lock);
    kv_count(&log->stats->log_records);
}

kv_status kv_log_sync(kv_log *log) {
    kv_lock(&log->lock);
    uint64_t upto = log->last;
    if (upto > log->wanted)
        log->wanted = upto;
    kv_signal(&log->more);
    while (log->flushed_upto < upto)
        kv_wait(&log->flushed, &log->lock);
    kv_status status = log->failed ? KV_IO : KV_OK;
    kv_unlock(&log->lock);
    return status;
}

static void observe(void *context, kv_change change, kv_slice key, kv_slice value, uint64_t expires_ms) {
    kv_log_append(context, change, key, value, expires_ms);
}

kv_observer kv_log_observer(kv_log *log) {
    return (kv_observer){observe, log};
}

static kv_status apply(const kv_record *record, kv_table *table) {
    switch (record->change) {
    case KV_CHANGE_SET: return kv_table_set(table, record->key, record->value, NULL);
    case KV_CHANGE_DEL: return kv_table_del(table, record->key);
    case KV_CHANGE_EXPIRE: return kv_table_expire_at(table, record->key, record->expires_ms);
    }
    return KV_CORRUPT;
}

kv_status kv_log_replay(kv_slice text, kv_table *table, size_t *records) {
    kv_arena arena = KV_ARENA_EMPTY;
    kv_status status = KV_OK;
    uint64_t last = 0;
    *records = 0;
    while (text.len > 0) {
        kv_record record;
        size_t taken;
        status = kv_record_read(text, &arena, &record, &taken);
        if (status == KV_OK && last != 0 && record.number != last + 1)
            status = KV_CORRUPT;
        if (status != KV_OK)
            break;
        // A key that is to go may be gone: the replayed table has its own limits, and its own view of time.
        status = apply(&record, table);
        if (status != KV_OK && status != KV_NOT_FOUND)
            break;
        status = KV_OK;
        last = record.number;
        ++*records;
        kv_arena_reset(&arena);
        text = (kv_slice){text.data + taken, text.len - taken};
    }
    kv_arena_free(&arena);
    return status;
}
