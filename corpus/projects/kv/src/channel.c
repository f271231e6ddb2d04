#include "channel.h"

#include "tokens.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BYTES = 4096 };

void kv_channel_init(kv_channel *channel, int fd) {
    *channel = (kv_channel){
        .fd = fd, .wake_fd = -1, .idle_ms = -1, .limit = SIZE_MAX, .in = KV_STRBUF_EMPTY, .out = KV_STRBUF_EMPTY};
}

void kv_channel_close(kv_channel *channel) {
    close(channel->fd);
    channel->fd = -1;
    kv_strbuf_free(&channel->in);
    kv_strbuf_free(&channel->out);
}

// A wake-up comes before reading, lest a client that never pauses keep the server busy. It does not come before writing: an answer that the
// other end is taking still goes out.
static kv_status wait_for(const kv_channel *channel, short events) {
    struct pollfd fds[2] = {
        {.fd = channel->fd, .events = events},
        {.fd = channel->wake_fd, .events = POLLIN},  // poll skips -1
    };
    for (;;) {
        int ready = poll(fds, 2, channel->idle_ms);
        if (ready == 0)
            return KV_CLOSED;
        if (ready > 0)
            return fds[1].revents && !(fds[0].revents & POLLOUT) ? KV_STOPPED : KV_OK;
        if (errno != EINTR)
            return KV_IO;
    }
}

kv_status kv_channel_wait(kv_channel *channel) {
    return wait_for(channel, POLLIN);
}

kv_status kv_channel_fill(kv_channel *channel, size_t *count) {
    *count = 0;
    kv_strbuf_consume(&channel->in, channel->used);
    channel->used = 0;
    for (;;) {
        char *end = kv_strbuf_reserve(&channel->in, READ_BYTES);
        ssize_t got = recv(channel->fd, end, READ_BYTES, MSG_DONTWAIT);
        if (got > 0) {
            channel->in.len += (size_t)got;
            *count = (size_t)got;
            return KV_OK;
        }
        if (got == 0 || errno == ECONNRESET)
            return KV_CLOSED;
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            return KV_OK;
        if (errno != EINTR)
            return KV_IO;
    }
}

kv_status kv_channel_line(kv_channel *channel, kv_slice *line) {
    kv_slice rest = kv_strbuf_slice(&channel->in);
    size_t taken;
    rest = (kv_slice){rest.data + channel->used, rest.len - channel->used};
    if (!kv_first_line(rest, line, &taken))
        return rest.len > channel->limit ? KV_TOO_LONG : KV_NOT_FOUND;
    if (line->len > channel->limit)
        return KV_TOO_LONG;
    channel->used += taken;
    return KV_OK;
}

kv_status kv_channel_flush(kv_channel *channel) {
    kv_status status = KV_OK;
    size_t sent = 0;
    while (status == KV_OK && sent < channel->out.len) {
        ssize_t count = send(channel->fd, channel->out.data + sent, channel->out.len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count >= 0)
            sent += (size_t)count;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            status = wait_for(channel, POLLOUT);
        else if (errno == EPIPE || errno == ECONNRESET)
            status = KV_CLOSED;
        else if (errno != EINTR)
            status = KV_IO;
    }
    kv_strbuf_clear(&channel->out);
    return status;
}
