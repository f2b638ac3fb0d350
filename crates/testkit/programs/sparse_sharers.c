/* Many processes map one segment, each for itself: sparse_sharers BYTES_OF_PAGE_TABLES
 *
 * Each touches one page in 2 MB of a segment of 4 GB, and so has 8 MB of page tables for
 * 8 MB of memory that all share. Prints a line when all have done so.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <sys/mman.h>

#define SEGMENT (4UL << 30)
#define REACH_OF_A_TABLE (2UL << 20)
#define TABLES_OF_A_PROCESS (SEGMENT / REACH_OF_A_TABLE * 4096)

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: sparse_sharers BYTES_OF_PAGE_TABLES\n");
        return 2;
    }
    bound_this_life();
    volatile char *segment =
        mmap(NULL, SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (segment == MAP_FAILED)
        die("mmap");
    unsigned long processes = strtoul(argv[1], NULL, 10) / TABLES_OF_A_PROCESS + 1;
    int done[2];
    if (pipe(done))
        die("pipe");
    for (unsigned long i = 0; i < processes; i++) {
        pid_t child = fork();
        if (child < 0)
            die("fork");
        if (!child) {
            bound_this_life();
            for (unsigned long at = 0; at < SEGMENT; at += REACH_OF_A_TABLE)
                segment[at] = 1;
            if (write(done[1], "", 1) != 1)
                die("write");
            for (;;)
                pause();
        }
    }
    char byte;
    for (unsigned long i = 0; i < processes; i++)
        if (read(done[0], &byte, 1) != 1)
            die("read");
    puts("mapped");
    fflush(stdout);
    for (;;)
        pause();
}
