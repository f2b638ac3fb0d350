/* Writes one byte at a time to nowhere, as a program without buffers does: small_writes */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>

int main(void)
{
    bound_this_life();
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0)
        die("open /dev/null");
    for (;;)
        if (write(nowhere, "x", 1) != 1)
            die("write");
}
