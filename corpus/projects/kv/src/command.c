#include "command.h"

#include <inttypes.h>

enum { LONGEST_EXPIRY_DAYS = 3650 };

typedef struct {
    kv_store *store;
    const kv_slice *argument;  // without the command's name
    size_t count;
    kv_strbuf *reply;
} call;

void kv_command_error(kv_strbuf *reply, kv_status status, const char *text) {
    kv_strbuf_printf(reply, "ERR %s ", kv_status_name(status));
    kv_strbuf_quoted(reply, kv_slice_of(text));
    kv_strbuf_char(reply, '\n');
}

// What is not worth a reply of its own.
static void reply_status(const call *c, kv_status status) {
    switch (status) {
    case KV_OK: kv_strbuf_append(c->reply, KV_SLICE("OK\n")); break;
    case KV_NOT_FOUND: kv_strbuf_append(c->reply, KV_SLICE("NIL\n")); break;
    case KV_CONFLICT: kv_strbuf_append(c->reply, KV_SLICE("CONFLICT\n")); break;
    case KV_NOT_A_NUMBER: kv_command_error(c->reply, status, "the value is not a whole number"); break;
    case KV_OVERFLOW: kv_command_error(c->reply, status, "the sum does not fit into 64 bits"); break;
    case KV_TOO_LONG: kv_command_error(c->reply, status, "key or value too long"); break;
    default: kv_command_error(c->reply, status, "the command failed"); break;
    }
}

static void reply_version(const call *c, kv_status status, uint64_t version) {
    if (status == KV_OK)
        kv_strbuf_printf(c->reply, "OK %" PRIu64 "\n", version);
    else
        reply_status(c, status);
}

static void run_set(const call *c) {
    uint64_t version = 0;
    kv_status status = KV_TOO_LONG;
    if (c->argument[1].len <= c->store->config.max_value_bytes)
        status = kv_table_set(c->store->table, c->argument[0], c->argument[1], &version);
    reply_version(c, status, version);
}

static void run_get(const call *c) {
    kv_value *value;
    uint64_t version;
    kv_status status = kv_table_get(c->store->table, c->argument[0], &value, &version);
    if (status != KV_OK) {
        reply_status(c, status);
        return;
    }
    kv_strbuf_printf(c->reply, "VALUE %" PRIu64 " ", version);
    kv_strbuf_quoted(c->reply, kv_value_slice(value));
    kv_strbuf_char(c->reply, '\n');
    kv_value_unref(value);
}

static void run_del(const call *c) {
    reply_status(c, kv_table_del(c->store->table, c->argument[0]));
}

static void run_incr(const call *c) {
    int64_t by = 1, result = 0;
    if (c->count > 1 && !kv_slice_to_i64(c->argument[1], &by)) {
        kv_command_error(c->reply, KV_BAD_ARGUMENT, "INCR takes a whole number");
        return;
    }
    kv_status status = kv_table_incr(c->store->table, c->argument[0], by, &result);
    if (status == KV_OK)
        kv_strbuf_printf(c->reply, "INT %" PRId64 "\n", result);
    else
        reply_status(c, status);
}

static void run_cas(const call *c) {
    uint64_t expected, version = 0;
    if (!kv_slice_to_u64(c->argument[1], &expected)) {
        kv_command_error(c->reply, KV_BAD_ARGUMENT, "CAS takes a version, as GET and SET tell it");
        return;
    }
    kv_status status = KV_TOO_LONG;
    if (c->argument[2].len <= c->store->config.max_value_bytes)
        status = kv_table_cas(c->store->table, c->argument[0], expected, c->argument[2], &version);
    reply_version(c, status, version);
}

static void run_expire(const call *c) {
    uint64_t after_ms;
    if (!kv_slice_to_u64(c->argument[1], &after_ms) || after_ms > LONGEST_EXPIRY_DAYS * UINT64_C(86400000)) {
        kv_command_error(c->reply, KV_BAD_ARGUMENT, "EXPIRE takes milliseconds, ten years at most");
        return;
    }
    reply_status(c, kv_store_expire(c->store, c->argument[0], after_ms));
}

static void run_keys(const call *c) {
    kv_strbuf lines = KV_STRBUF_EMPTY;
    kv_slice pattern = c->count > 0 ? c->argument[0] : KV_SLICE("*");
    size_t count = kv_table_keys(c->store->table, pattern, &lines);
    kv_strbuf_printf(c->reply, "LIST %zu\n", count);
    kv_strbuf_append(c->reply, kv_strbuf_slice(&lines));
    kv_strbuf_free(&lines);
}

typedef struct {
    kv_strbuf lines;
    size_t count;
} stat_list;

static void list_stat(void *context, const char *name, uint64_t count) {
    stat_list *list = context;
    kv_strbuf_printf(&list->lines, "%s %" PRIu64 "\n", name, count);
    list->count++;
}

static void run_stats(const call *c) {
    stat_list list = {KV_STRBUF_EMPTY, 0};
    list_stat(&list, "items", kv_table_items(c->store->table));
    list_stat(&list, "bytes", kv_table_bytes(c->store->table));
    kv_stats_each(&c->store->stats, list_stat, &list);
    kv_strbuf_printf(c->reply, "LIST %zu\n", list.count);
    kv_strbuf_append(c->reply, kv_strbuf_slice(&list.lines));
    kv_strbuf_free(&list.lines);
}

static void run_ping(const call *c) {
    kv_strbuf_append(c->reply, KV_SLICE("PONG\n"));
}

static void run_quit(const call *c) {
    kv_strbuf_append(c->reply, KV_SLICE("BYE\n"));
}

typedef struct {
    const char *name;
    size_t least;
    size_t most;
    bool changes;  // something that the log must know of
    void (*run)(const call *c);
} command;

static const command commands[] = {
    {"SET", 2, 2, true, run_set},       {"GET", 1, 1, false, run_get},     {"DEL", 1, 1, true, run_del},
    {"INCR", 1, 2, true, run_incr},     {"CAS", 3, 3, true, run_cas},      {"EXPIRE", 2, 2, true, run_expire},
    {"KEYS", 0, 1, false, run_keys},    {"STATS", 0, 0, false, run_stats}, {"PING", 0, 0, false, run_ping},
    {"QUIT", 0, 0, false, run_quit},
};

static const command *find_command(kv_slice name) {
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (kv_slice_equal_nocase(name, kv_slice_of(commands[i].name)))
            return &commands[i];
    return NULL;
}

bool kv_command_run(kv_store *store, const kv_tokens *request, kv_strbuf *reply) {
    const command *found = find_command(request->word[0]);
    call c = {store, request->word + 1, request->count - 1, reply};
    kv_count(&store->stats.commands);
    if (!found) {
        kv_command_error(reply, KV_BAD_ARGUMENT, "no such command");
        return true;
    }
    if (c.count < found->least || c.count > found->most) {
        kv_command_error(reply, KV_BAD_ARGUMENT, "wrong number of arguments");
        return true;
    }
    size_t start = reply->len;
    found->run(&c);
    if (found->changes && store->config.log_sync && kv_store_sync(store) != KV_OK) {
        reply->len = start;
        kv_command_error(reply, KV_IO, "the log could not be written");
    }
    return found->run != run_quit;
}
