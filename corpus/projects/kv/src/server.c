#include "server.h"

#include "connection.h"
#include "pool.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct kv_server {
    kv_store *store;
    kv_pool *pool;
    // A pipe. One byte is written into it when the server stops, and nobody ever reads it: every connection's poll sees it.
    int wake_read;
    int wake_write;
};

kv_server *kv_server_start(const kv_config *config, kv_sink sink, kv_strbuf *message) {
    int ends[2];
    if (!kv_config_check(config, message))
        return NULL;
    if (pipe(ends) != 0)
        kv_die("pipe", errno);
    kv_server *server = kv_alloc_zeroed(1, sizeof *server);
    server->wake_read = ends[0];
    server->wake_write = ends[1];
    server->store = kv_store_open(config, sink);
    server->pool = kv_pool_start(config->workers, config->queue);
    return server;
}

kv_status kv_server_attach(kv_server *server, int fd) {
    kv_connection *connection = kv_connection_new(fd, server->wake_read, server->store);
    if (kv_pool_submit(server->pool, (kv_job){kv_connection_serve, connection}))
        return KV_OK;
    kv_connection_free(connection);
    return KV_STOPPED;
}

kv_status kv_server_connect(kv_server *server, int *fd) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return KV_IO;
    kv_status status = kv_server_attach(server, ends[0]);
    if (status == KV_OK)
        *fd = ends[1];
    else
        close(ends[1]);
    return status;
}

kv_status kv_server_stop(kv_server *server) {
    ssize_t count;
    do
        count = write(server->wake_write, "!", 1);
    while (count < 0 && errno == EINTR);
    if (count != 1)
        kv_die("write to the wake pipe", errno);
    kv_pool_stop(server->pool);
    return kv_store_stop(server->store);
}

void kv_server_free(kv_server *server) {
    kv_pool_free(server->pool);
    kv_store_free(server->store);
    close(server->wake_read);
    close(server->wake_write);
    free(server);
}

kv_store *kv_server_store(kv_server *server) {
    return server->store;
}
