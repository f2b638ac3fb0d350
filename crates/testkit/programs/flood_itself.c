/* Sends datagrams to a socket of its own and reads them: flood_itself
 *
 * Over the loopback the kernel receives a packet on the CPU that sent it, in a soft
 * interrupt: bound to one CPU, this program makes one CPU serve them all.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <sys/socket.h>

int main(void)
{
    bound_this_life();
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    int receiver = socket(AF_INET, SOCK_DGRAM, 0), sender = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(receiver, (struct sockaddr *)&address, sizeof address)
        || getsockname(receiver, (struct sockaddr *)&address, &length))
        die("bind");
    if (connect(sender, (struct sockaddr *)&address, length))
        die("connect");
    char packet[16] = { 0 };
    for (;;)
        if (send(sender, packet, sizeof packet, 0) < 0)
            die("send");
        else if (recv(receiver, packet, sizeof packet, 0) < 0)
            die("recv");
}
