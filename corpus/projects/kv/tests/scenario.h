// What the scenarios of kvtest have in common.
#ifndef KV_SCENARIO_H
#define KV_SCENARIO_H

#undef NDEBUG  // the assertions are the test
#include <assert.h>

#include "client.h"
#include "server.h"
#include "sync.h"

typedef struct {
    const char *name;
    const char *summary;
    const char *settings;  // of this scenario, as in a configuration file
    void (*run)(const kv_config *config);
} scenario;

// Each file of scenarios has its list, ended by an entry without a name.
extern const scenario server_scenarios[];
extern const scenario direct_scenarios[];

// Starts a server whose log, if it has one, goes to `log`; NULL: nowhere.
kv_server *start_server(const kv_config *config, kv_strbuf *log);
// Stops it and frees all.
void end_server(kv_server *server);
kv_client *connect_client(kv_server *server);

// Asserts that the server answers with this value, or that it has none.
void expect_value(kv_client *client, const char *key, const char *value);
void expect_missing(kv_client *client, const char *key);
void expect_stat(kv_client *client, const char *name, uint64_t count);
uint64_t must_set(kv_client *client, const char *key, const char *value);
// The value in the table itself equals this one; NULL: there is none.
bool table_has(kv_table *table, const char *key, const char *value);

#endif
