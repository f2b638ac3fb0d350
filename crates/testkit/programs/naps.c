/* Wakes, computes and sleeps again, and knows how long it computed: naps SECONDS BURST_US NAP_US
 *
 * Its own figure is the clock's difference over each burst, less holes (the task was
 * preempted), plus the cost of a sleep that does not sleep, as measured at the start.
 * Prints one line: OWN_NS KERNEL_NS NAPS TID, where KERNEL_NS is what the kernel's
 * scheduler counted (CLOCK_THREAD_CPUTIME_ID) over the same span.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <sys/syscall.h>

/* Longer than most interrupts, shorter than another task's turn. */
#define HOLE_NS 20000

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Time on the CPU within the next `burst` ns, by the task's own clock. */
static int64_t compute(int64_t burst)
{
    int64_t start = now_ns(), before = start, now = start, holes = 0;
    for (; now - start - holes < burst; before = now) {
        now = now_ns();
        if (now - before > HOLE_NS)
            holes += now - before;
    }
    return now - start - holes;
}

/* The least of many tries: the others were interrupted. */
static int64_t cost_of_a_sleep_that_does_not_sleep(void)
{
    enum { TRIES = 50, TIMES = 50 };
    struct timespec past = { 1, 0 };
    int64_t least = INT64_MAX;
    for (int n = 0; n < TRIES; n++) {
        int64_t start = now_ns();
        for (int i = 0; i < TIMES; i++)
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL);
        int64_t each = (now_ns() - start) / TIMES;
        if (each < least)
            least = each;
    }
    return least;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: naps SECONDS BURST_US NAP_US\n");
        return 2;
    }
    bound_this_life();
    prctl(PR_SET_NAME, "naps");
    int64_t burst = atoll(argv[2]) * 1000, naps = 0;
    struct timespec nap = { 0, atol(argv[3]) * 1000 };
    int64_t calibration = now_ns(), each = cost_of_a_sleep_that_does_not_sleep();
    int64_t own = now_ns() - calibration, end = now_ns() + (int64_t)(atof(argv[1]) * 1e9);
    while (now_ns() < end) {
        own += compute(burst) + each;
        nanosleep(&nap, NULL);
        naps++;
    }
    printf("%lld %lld %lld %ld\n", (long long)own, (long long)cpu_ns(), (long long)naps, syscall(SYS_gettid));
    return 0;
}
