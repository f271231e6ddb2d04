// A request with a time limit. When the time is up, the main thread frees the request; the worker still writes its answer there.
// Source: folklore; the same happens with a completion on the stack of a function that waits with a time limit.
// Repaired: pass/sem_timedwait.c
//! check => bug kind=use-after-free bound=0

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

struct request {
    sem_t answered;
    int answer;
};

static void *work(void *arg) {
    struct request *request = arg;
    request->answer = 42;
    sem_post(&request->answered);
    return NULL;
}

int main(void) {
    struct request *request = malloc(sizeof *request);
    request->answer = 0;
    sem_init(&request->answered, 0, 0);
    pthread_t worker;
    pthread_create(&worker, NULL, work, request);
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    if (sem_timedwait(&request->answered, &deadline) == 0) {
        assert(request->answer == 42);
    }
    sem_destroy(&request->answered);
    free(request);
    pthread_join(worker, NULL);
    return 0;
}
