/* Touches the pages of a mapped file in random order: map_touch PATH
 *
 * Under a memory limit smaller than the file every touch may be a page that was
 * dropped a moment ago.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: map_touch PATH\n");
        return 2;
    }
    bound_this_life();
    int file = open(argv[1], O_RDONLY);
    if (file < 0)
        die(argv[1]);
    off_t size = lseek(file, 0, SEEK_END);
    volatile char *map = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED)
        die("mmap");
    madvise((void *)map, size, MADV_RANDOM);
    uint64_t state = 88172645463325252u;
    char sum = 0;
    for (;;) {
        /* Marsaglia's xorshift64: cheap, and never repeats within a test. */
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum += map[state % (uint64_t)(size / 4096) * 4096];
    }
    return sum;
}
