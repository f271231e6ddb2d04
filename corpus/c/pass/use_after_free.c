// A thread gets a job to work on. Who gave it the job frees it once the thread has ended.
// Source: our own.
// Buggy: fail/use_after_free.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
    int from, to;
};

static atomic_int total;

static void *add_up(void *arg) {
    struct job *job = arg;
    for (int i = job->from; i <= job->to; i++) {
        atomic_fetch_add(&total, i);
    }
    return NULL;
}

static struct job *job_new(int from, int to) {
    struct job *job = malloc(sizeof *job);
    job->from = from;
    job->to = to;
    return job;
}

int main(void) {
    pthread_t threads[2];
    struct job *jobs[2];
    for (int i = 0; i < 2; i++) {
        jobs[i] = job_new(2 * i + 1, 2 * i + 2);
        pthread_create(&threads[i], NULL, add_up, jobs[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        free(jobs[i]);
    }
    assert(total == 1 + 2 + 3 + 4);
    return 0;
}
