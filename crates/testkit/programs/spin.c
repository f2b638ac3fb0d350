/* Burns CPU: spin THREADS SPINNING DUTY_PERCENT PERIOD_MS
 *
 * THREADS threads, of which SPINNING burn DUTY_PERCENT of every PERIOD_MS and sleep
 * the rest; the others only sleep.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <pthread.h>

static int64_t busy_ns, period_ns;

static void *burn(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "spin-busy");
    for (int64_t start = now_ns();; start += period_ns) {
        int64_t end = start + busy_ns;
        while (now_ns() < end)
            ;
        int64_t left = start + period_ns - now_ns();
        if (left > 0) {
            struct timespec t = { left / 1000000000, left % 1000000000 };
            nanosleep(&t, NULL);
        }
    }
    return NULL;
}

static void *rest(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "spin-idle");
    for (;;)
        sleep(1000);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: spin THREADS SPINNING DUTY_PERCENT PERIOD_MS\n");
        return 2;
    }
    bound_this_life();
    int threads = atoi(argv[1]), spinning = atoi(argv[2]);
    period_ns = atoll(argv[4]) * 1000000;
    busy_ns = period_ns / 100 * atoll(argv[3]);
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, i < spinning ? burn : rest, NULL))
            die("pthread_create");
    }
    pause();
    return 0;
}
