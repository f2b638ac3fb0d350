// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Packets that the kernel throws away, by reason, place and protocol. Packets that are freed
 * because they have been used do not come here: the kernel has another trace point for them.
 *
 * Counted on each CPU by itself: an attack is dropped on all of them at once.
 */
#include "vmlinux_min.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include "dropped.h"
#include "netdrop.h"
#include "overhead.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86dd
/* Where the headers have the protocol of what they carry (RFC 791, RFC 8200). */
#define IPV4_PROTOCOL 9
#define IPV6_NEXT_HEADER 6

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* The packet's own fields lie in an unnamed struct of an unnamed union since 5.17. */
struct sk_buff {
	__be16 protocol;
	u16 network_header;
	unsigned char *head;
};

#pragma clang attribute pop

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, NETDROP_ENTRIES);
	__type(key, struct netdrop_key);
	__type(value, u64);
} drops SEC(".maps");

static __always_inline u8 transport_of(struct sk_buff *skb, u16 network)
{
	u16 header = skb->network_header;
	u8 first = 0, transport = NETDROP_NO_TRANSPORT;
	/* A packet that is being made has its network header set last. */
	if (!header || header == 0xffff)
		return transport;
	const unsigned char *at = skb->head + header;
	if (bpf_probe_read_kernel(&first, 1, at))
		return transport;
	if (network == ETH_P_IP && first >> 4 == 4)
		bpf_probe_read_kernel(&transport, 1, at + IPV4_PROTOCOL);
	else if (network == ETH_P_IPV6 && first >> 4 == 6)
		bpf_probe_read_kernel(&transport, 1, at + IPV6_NEXT_HEADER);
	return transport;
}

static __always_inline void count(struct sk_buff *skb, void *place, u32 reason)
{
	struct netdrop_key key = { .place = (u64)place, .reason = reason };
	key.network = bpf_ntohs(skb->protocol);
	key.transport = transport_of(skb, key.network);
	u64 *packets = bpf_map_lookup_elem(&drops, &key);
	if (!packets) {
		u64 none = 0;
		bpf_map_update_elem(&drops, &key, &none, BPF_NOEXIST);
		packets = bpf_map_lookup_elem(&drops, &key);
	}
	if (packets) {
		(*packets)++;
		count_kept();
		return;
	}
	count_dropped();
}

/* Refused before 5.17, which has no third argument. */
SEC("tp_btf/kfree_skb")
int BPF_PROG(on_drop, struct sk_buff *skb, void *place, u32 reason)
{
	return WITH_OVERHEAD(0, count(skb, place, reason));
}

SEC("tp_btf/kfree_skb")
int BPF_PROG(on_drop_before_5_17, struct sk_buff *skb, void *place)
{
	return WITH_OVERHEAD(0, count(skb, place, NETDROP_NO_REASON));
}
