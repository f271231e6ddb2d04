// Scenarios with a server in this process and clients that talk to it over socket pairs.
//
// Where two clients are at work, main is one and a thread the other. Every client says QUIT before main waits for the other one, so that all
// scenarios also work with one worker, which serves one connection after the other.
#include "scenario.h"

#include "clock.h"

static void run_basic(const kv_config *config) {
    kv_server *server = start_server(config, NULL);
    kv_client *client = connect_client(server);
    expect_missing(client, "colour");
    must_set(client, "colour", "light \"blue\"\n");
    expect_value(client, "colour", "light \"blue\"\n");
    assert(kv_client_del(client, KV_SLICE("colour")) == KV_OK);
    expect_missing(client, "colour");
    assert(kv_client_quit(client) == KV_OK);
    end_server(server);
}

enum { ROUNDS = 2 };

static void count_up(kv_client *client) {
    int64_t last = 0;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t sum = 0;
        assert(kv_client_incr(client, KV_SLICE("n"), 1, &sum) == KV_OK);
        assert(sum > last && sum <= 2 * ROUNDS);
        last = sum;
    }
    assert(kv_client_quit(client) == KV_OK);
}

static void *count_up_thread(void *client) {
    count_up(client);
    return NULL;
}

static void run_two_clients(const kv_config *config) {
    kv_server *server = start_server(config, NULL);
    kv_client *mine = connect_client(server);
    pthread_t thread = kv_thread_start(count_up_thread, connect_client(server));
    count_up(mine);
    kv_thread_join(thread);
    assert(kv_server_stop(server) == KV_OK);
    kv_store *store = kv_server_store(server);
    assert(table_has(store->table, "n", "4"));
    assert(kv_counted(&store->stats.commands) == 2 * (ROUNDS + 1));
    assert(kv_counted(&store->stats.connections) == 2);
    kv_server_free(server);
}

typedef struct {
    kv_client *client;
    uint64_t version;
    kv_status status;
} swap_call;

static void *swap_value(void *argument) {
    swap_call *call = argument;
    call->status = kv_client_cas(call->client, KV_SLICE("seat"), call->version, KV_SLICE("theirs"), NULL);
    assert(kv_client_quit(call->client) == KV_OK);
    return NULL;
}

// Two clients want the same seat.
static void run_cas(const kv_config *config) {
    kv_server *server = start_server(config, NULL);
    kv_client *mine = connect_client(server);
    uint64_t version = must_set(mine, "seat", "free");
    swap_call theirs = {connect_client(server), version, KV_OK};
    pthread_t thread = kv_thread_start(swap_value, &theirs);
    kv_status status = kv_client_cas(mine, KV_SLICE("seat"), version, KV_SLICE("mine"), NULL);
    assert(kv_client_quit(mine) == KV_OK);
    kv_thread_join(thread);
    assert(kv_server_stop(server) == KV_OK);

    assert((status == KV_OK) != (theirs.status == KV_OK));
    assert((status == KV_CONFLICT) != (theirs.status == KV_CONFLICT));
    kv_store *store = kv_server_store(server);
    assert(table_has(store->table, "seat", status == KV_OK ? "mine" : "theirs"));
    assert(kv_counted(&store->stats.conflicts) == 1);
    kv_server_free(server);
}

enum { LIFE_MS = 20 };

// However slow the threads are: a key must not go before its time, and must be gone after it.
static void run_expire(const kv_config *config) {
    kv_server *server = start_server(config, NULL);
    kv_client *client = connect_client(server);
    must_set(client, "stays", "1");
    must_set(client, "goes", "2");
    uint64_t before_ms = kv_now_ms();
    assert(kv_client_expire(client, KV_SLICE("goes"), LIFE_MS) == KV_OK);
    uint64_t after_ms = kv_now_ms();

    kv_strbuf value = KV_STRBUF_EMPTY;
    kv_status status = kv_client_get(client, KV_SLICE("goes"), &value, NULL);
    assert(status == KV_OK || (status == KV_NOT_FOUND && kv_now_ms() >= before_ms + LIFE_MS));
    kv_strbuf_free(&value);

    kv_sleep_until(after_ms + LIFE_MS);
    kv_store_settle(kv_server_store(server));
    if (config->timer)
        expect_stat(client, "items", 1);
    expect_missing(client, "goes");
    expect_stat(client, "expired", 1);
    expect_value(client, "stays", "1");
    assert(kv_client_quit(client) == KV_OK);
    end_server(server);
}

static void *set_or_closed(void *argument) {
    swap_call *call = argument;
    call->status = kv_client_set(call->client, KV_SLICE("late"), KV_SLICE("1"), NULL);
    kv_client_free(call->client);
    return NULL;
}

// A request that was sent before the server stops is answered. One that comes at the same time is answered, or the connection is closed; if it is
// answered it has been carried out.
static void run_shutdown(const kv_config *config) {
    kv_server *server = start_server(config, NULL);
    kv_client *mine = connect_client(server);
    swap_call late = {connect_client(server), 0, KV_OK};
    pthread_t thread = kv_thread_start(set_or_closed, &late);
    assert(kv_client_ping(mine) == KV_OK);
    assert(kv_client_send_line(mine, KV_SLICE("SET early 1")) == KV_OK);
    assert(kv_server_stop(server) == KV_OK);

    kv_tokens reply;
    assert(kv_client_receive(mine, &reply) == KV_OK);
    assert(kv_slice_equal(reply.word[0], KV_SLICE("OK")));
    assert(kv_client_receive(mine, &reply) == KV_CLOSED);
    kv_client_free(mine);
    kv_thread_join(thread);

    kv_store *store = kv_server_store(server);
    assert(late.status == KV_OK || late.status == KV_CLOSED);
    assert(table_has(store->table, "early", "1"));
    if (late.status == KV_OK)
        assert(table_has(store->table, "late", "1"));
    int fd;
    assert(kv_server_connect(server, &fd) == KV_STOPPED);
    kv_server_free(server);
}

static void *set_another(void *argument) {
    kv_client *client = argument;
    must_set(client, "d", "4");
    assert(kv_client_quit(client) == KV_OK);
    return NULL;
}

// Room for two. First in order, by one client; then two clients at once.
static void run_evict(const kv_config *config) {
    kv_server *server = start_server(config, NULL);
    kv_client *mine = connect_client(server);
    must_set(mine, "a", "1");
    must_set(mine, "b", "2");
    expect_value(mine, "a", "1");

    pthread_t thread = kv_thread_start(set_another, connect_client(server));
    must_set(mine, "c", "3");
    assert(kv_client_quit(mine) == KV_OK);
    kv_thread_join(thread);
    assert(kv_server_stop(server) == KV_OK);

    kv_store *store = kv_server_store(server);
    assert(kv_table_items(store->table) == 2);
    assert(kv_counted(&store->stats.evicted) == 2);
    assert(table_has(store->table, "a", NULL) && table_has(store->table, "b", NULL));
    assert(table_has(store->table, "c", "3") && table_has(store->table, "d", "4"));
    kv_server_free(server);
}

// The log, replayed into a fresh table, gives this value of `n`, and no `gone`.
static void expect_replay(const kv_config *config, const kv_strbuf *log, const char *n, size_t records) {
    kv_stats stats = {0};
    kv_table *table = kv_table_new(config, &stats, (kv_observer){NULL, NULL});
    size_t applied;
    assert(kv_log_replay(kv_strbuf_slice(log), table, &applied) == KV_OK);
    assert(applied == records);
    assert(table_has(table, "n", n));
    assert(table_has(table, "gone", NULL));
    kv_table_free(table);
}

static void run_log(const kv_config *config) {
    kv_strbuf log = KV_STRBUF_EMPTY;
    kv_server *server = start_server(config, &log);
    kv_client *client = connect_client(server);
    int64_t sum;
    must_set(client, "n", "1");
    must_set(client, "gone", "x");
    assert(kv_client_del(client, KV_SLICE("gone")) == KV_OK);
    assert(kv_store_sync(kv_server_store(server)) == KV_OK);
    expect_replay(config, &log, "1", 3);

    assert(kv_client_incr(client, KV_SLICE("n"), 1, &sum) == KV_OK);
    assert(kv_client_quit(client) == KV_OK);
    end_server(server);
    expect_replay(config, &log, "2", 4);
    kv_strbuf_free(&log);
}

typedef struct {
    kv_client *client;
    char first;
    int count;
} fill_call;

static void fill(fill_call *call) {
    for (int i = 0; i < call->count; i++) {
        char key[] = {(char)(call->first + i), '\0'};
        must_set(call->client, key, key);
    }
    expect_value(call->client, (char[]){call->first, '\0'}, (char[]){call->first, '\0'});
    assert(kv_client_quit(call->client) == KV_OK);
}

static void *fill_thread(void *argument) {
    fill(argument);
    return NULL;
}

// Starts with one bucket, so that the second key makes the stripe grow, and does so while the other client is at work.
static void run_resize(const kv_config *config) {
    kv_server *server = start_server(config, NULL);
    fill_call mine = {connect_client(server), 'a', 2};
    fill_call theirs = {connect_client(server), 'p', 2};
    pthread_t thread = kv_thread_start(fill_thread, &theirs);
    fill(&mine);
    kv_thread_join(thread);
    assert(kv_server_stop(server) == KV_OK);

    kv_store *store = kv_server_store(server);
    static const char *const keys[] = {"a", "b", "p", "q"};
    for (int i = 0; i < 4; i++)
        assert(table_has(store->table, keys[i], keys[i]));
    assert(kv_table_items(store->table) == 4);
    if (config->stripes == 1)
        assert(kv_counted(&store->stats.resizes) == 2);
    kv_server_free(server);
}

const scenario server_scenarios[] = {
    {"basic", "one client: set, get, delete", "", run_basic},
    {"two-clients", "two clients count up the same number", "workers = 2\n", run_two_clients},
    {"cas", "two clients replace the same version of a key", "workers = 2\n", run_cas},
    {"expire", "a key goes when its time has come, neither sooner nor later", "timer = on\n", run_expire},
    {"shutdown", "the server stops while requests are on their way", "workers = 2\n", run_shutdown},
    {"evict", "two clients push the oldest keys out", "workers = 2\nmax_items = 2\n", run_evict},
    {"log", "the flusher writes all changes, and they can be replayed", "log = on\n", run_log},
    {"resize", "two clients add keys while the table grows", "workers = 2\nbuckets = 1\n", run_resize},
    {NULL, NULL, NULL, NULL},
};
