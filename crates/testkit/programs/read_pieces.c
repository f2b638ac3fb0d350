/* Reads pieces of a device, each in order and from another place: read_pieces PATH PIECES BYTES
 *
 * What is in memory of the device is given up first, so that each piece comes from it, with what is
 * read ahead beyond the piece. Reads 16 kB at a time; prints how long all of it took.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>

/* Larger than any number of pieces, so that it divides none. */
#define PRIME 1000003

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: read_pieces PATH PIECES BYTES\n");
        return 2;
    }
    bound_this_life();
    long pieces = atol(argv[2]), bytes = atol(argv[3]);
    int file = open(argv[1], O_RDONLY | O_CLOEXEC);
    if (file < 0)
        die(argv[1]);
    off_t size = lseek(file, 0, SEEK_END), apart = pieces > 0 ? size / pieces : 0;
    if (apart < bytes) {
        fprintf(stderr, "read_pieces: %ld pieces of %ld bytes are more than %s has\n", pieces, bytes, argv[1]);
        return 2;
    }
    if (posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED))
        die("posix_fadvise");
    static char block[16384];
    int64_t began = now_ns();
    for (long piece = 0; piece < pieces; piece++) {
        off_t from = piece * (off_t)PRIME % pieces * apart;
        for (long at = 0; at < bytes; at += sizeof block)
            if (pread(file, block, sizeof block, from + at) < 0)
                die("pread");
    }
    printf("read in %.6f s\n", (now_ns() - began) / 1e9);
    return 0;
}
