// kvshell [-c FILE] [-o NAME=VALUE]...: a server in this process, and a prompt to talk to it. What is typed goes to the server as it is, what it
// answers is printed as it comes. Log records go to standard error.
#include "client.h"
#include "server.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool print_records(void *context, kv_slice records) {
    (void)context;
    return fwrite(records.data, 1, records.len, stderr) == records.len;
}

static void print_words(const kv_tokens *reply) {
    kv_strbuf line = KV_STRBUF_EMPTY;
    for (size_t i = 0; i < reply->count; i++) {
        if (i > 0)
            kv_strbuf_char(&line, ' ');
        bool plain = reply->word[i].len > 0;
        for (size_t j = 0; plain && j < reply->word[i].len; j++)
            plain = reply->word[i].data[j] > ' ' && reply->word[i].data[j] < 0x7f;
        if (plain)
            kv_strbuf_append(&line, reply->word[i]);
        else
            kv_strbuf_quoted(&line, reply->word[i]);
    }
    puts(line.data);
    kv_strbuf_free(&line);
}

// Prints the reply to one request, with all lines of a list.
static kv_status print_reply(kv_client *client) {
    kv_tokens reply;
    kv_status status = kv_client_receive(client, &reply);
    uint64_t lines = 0;
    if (status != KV_OK)
        return status;
    print_words(&reply);
    if (reply.count == 2 && kv_slice_equal(reply.word[0], KV_SLICE("LIST")))
        kv_slice_to_u64(reply.word[1], &lines);
    for (; status == KV_OK && lines > 0; lines--)
        if ((status = kv_client_receive(client, &reply)) == KV_OK)
            print_words(&reply);
    return status;
}

static void talk(kv_client *client) {
    char text[4096];
    bool prompt = isatty(STDIN_FILENO);
    kv_status status = KV_OK;
    while (status == KV_OK) {
        if (prompt) {
            fputs("kv> ", stdout);
            fflush(stdout);
        }
        if (!fgets(text, sizeof text, stdin))
            return;
        kv_slice line = kv_slice_trim(kv_slice_of(text));
        if (line.len == 0)
            continue;
        status = kv_client_send_line(client, line);
        if (status == KV_OK)
            status = print_reply(client);
        fflush(stdout);
    }
}

static bool read_options(int argc, char **argv, kv_config *config, kv_strbuf *message) {
    for (int i = 1; i < argc; i += 2) {
        bool file = strcmp(argv[i], "-c") == 0;
        if ((!file && strcmp(argv[i], "-o") != 0) || i + 1 == argc) {
            kv_strbuf_append(message, KV_SLICE("usage: kvshell [-c FILE] [-o NAME=VALUE]..."));
            return false;
        }
        if (file ? !kv_config_load(config, argv[i + 1], message) : !kv_config_parse(config, kv_slice_of(argv[i + 1]), message))
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    kv_config config = kv_config_default();
    kv_strbuf message = KV_STRBUF_EMPTY;
    kv_server *server = NULL;
    if (read_options(argc, argv, &config, &message))
        server = kv_server_start(&config, (kv_sink){print_records, NULL}, &message);
    if (!server) {
        fprintf(stderr, "kvshell: %s\n", message.data);
        kv_strbuf_free(&message);
        return 2;
    }
    int fd;
    if (kv_server_connect(server, &fd) == KV_OK) {
        kv_client *client = kv_client_new(fd);
        talk(client);
        kv_client_free(client);
    }
    kv_status status = kv_server_stop(server);
    kv_server_free(server);
    kv_strbuf_free(&message);
    return status == KV_OK ? 0 : 1;
}
