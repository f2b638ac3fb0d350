/* Walks through private memory without an order: walk_memory BYTES [STEPS]
 *
 * Each step is a cache line far from the last one, as a hash table or a Java heap is read.
 * Prints a line when all of it has been touched. Goes on without end, or takes so many steps and
 * prints how long they took.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <sys/mman.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: walk_memory BYTES [STEPS]\n");
        return 2;
    }
    bound_this_life();
    uint64_t lines = strtoul(argv[1], NULL, 10) / 64;
    volatile char *memory =
        mmap(NULL, lines * 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("mmap");
    for (uint64_t at = 0; at < lines * 64; at += 4096)
        memory[at] = 1;
    puts("touched");
    fflush(stdout);
    uint64_t state = 88172645463325252u, steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    int64_t began = now_ns();
    for (uint64_t step = 0; !steps || step < steps; step++) {
        /* Marsaglia's xorshift64: cheap, and never repeats within a test. */
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memory[state % lines * 64]++;
    }
    printf("walked in %.6f s\n", (now_ns() - began) / 1e9);
    return 0;
}
