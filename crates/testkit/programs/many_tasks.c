/* Sleeping threads: many_tasks PROCESSES THREADS_IN_EACH
 *
 * Prints "ready" when all of them sleep. Stacks are small, so that ten thousand of them
 * fit anywhere.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <limits.h>
#include <pthread.h>

static void *sleep_long(void *unused)
{
    prctl(PR_SET_NAME, "many-sleeps");
    for (;;)
        pause();
    return unused;
}

static void fill_with_threads(int threads)
{
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
    for (int i = 1; i < threads; i++)
        if (pthread_create(&thread, &small, sleep_long, NULL))
            die("pthread_create");
}

int main(int argc, char **argv)
{
    int ready[2];
    char byte = 'r';
    if (argc != 3) {
        fprintf(stderr, "usage: many_tasks PROCESSES THREADS_IN_EACH\n");
        return 2;
    }
    bound_this_life();
    if (pipe(ready))
        die("pipe");
    int processes = atoi(argv[1]);
    for (int i = 0; i < processes; i++) {
        pid_t child = fork();
        if (child < 0)
            die("fork");
        if (child == 0) {
            bound_this_life();
            fill_with_threads(atoi(argv[2]));
            if (write(ready[1], &byte, 1) != 1)
                die("write");
            sleep_long(NULL);
        }
    }
    for (int i = 0; i < processes; i++)
        if (read(ready[0], &byte, 1) != 1)
            die("read");
    puts("ready");
    fflush(stdout);
    sleep_long(NULL);
    return 0;
}
