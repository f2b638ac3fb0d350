/* Walks through private memory without an order: walk_memory BYTES
 *
 * Each step is a cache line far from the last one, as a hash table or a Java heap is read.
 * Prints a line when all of it has been touched.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <sys/mman.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: walk_memory BYTES\n");
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
    uint64_t state = 88172645463325252u;
    for (;;) {
        /* Marsaglia's xorshift64: cheap, and never repeats within a test. */
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memory[state % lines * 64]++;
    }
}
