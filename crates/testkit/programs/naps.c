/* Wakes, computes and sleeps again, and knows how long it computed: naps SECONDS BURST_US NAP_US
 *
 * With a nap of 0 it never sleeps. Its own figure is the clock's difference over each
 * burst, less holes in which it was preempted. What it cannot know is whose the time at
 * the edges of a switch was: that is for the reader to allow, by the number of switches.
 * Prints one line: OWN_NS KERNEL_NS SWITCHES TID, where KERNEL_NS is what the kernel's
 * scheduler counted (CLOCK_THREAD_CPUTIME_ID) over the same span.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <sys/resource.h>
#include <sys/syscall.h>

/* Shorter than another task's turn; a look at the number of switches is not free. */
#define HOLE_NS 20000

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static long preemptions(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

/* Time on the CPU within the next `burst` ns, by the task's own clock. A hole without a
 * switch (an interrupt, or the host took the CPU) is the task's own for every account. */
static int64_t compute(int64_t burst)
{
    int64_t start = now_ns(), before = start, now = start, holes = 0;
    long switched = preemptions();
    for (; now - start - holes < burst; before = now) {
        now = now_ns();
        if (now - before <= HOLE_NS)
            continue;
        long all = preemptions();
        if (all != switched)
            holes += now - before;
        switched = all;
    }
    return now - start - holes;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: naps SECONDS BURST_US NAP_US\n");
        return 2;
    }
    bound_this_life();
    prctl(PR_SET_NAME, "naps");
    int64_t burst = atoll(argv[2]) * 1000, naps = 0, nap_us = atoll(argv[3]);
    struct timespec nap = { 0, nap_us * 1000 };
    /* What it took to start. */
    int64_t own = cpu_ns(), end = now_ns() + (int64_t)(atof(argv[1]) * 1e9);
    while (now_ns() < end) {
        own += compute(burst);
        if (nap_us) {
            nanosleep(&nap, NULL);
            naps++;
        }
    }
    printf("%lld %lld %lld %ld\n", (long long)own, (long long)cpu_ns(), (long long)(naps + preemptions()),
           syscall(SYS_gettid));
    return 0;
}
