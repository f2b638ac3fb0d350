// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Names of kernel functions, asked of the kernel itself: an iterator prints the names of
 * the addresses that user space put into a map. It costs about three microseconds a name, where
 * reading /proc/kallsyms takes 40 ms of CPU, and works where kptr_restrict hides that file.
 *
 * The tasks that the iterator walks over serve as a counter only. Its context is the same
 * since 5.8 and is declared here: without the header of kernel types there is nothing to
 * relocate, and the object loads in a fraction of the time.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "symbols.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct seq_file;
struct task_struct;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct symbols_asked);
} asked SEC(".maps");

SEC("iter/task")
int name_symbols(struct bpf_iter__task *ctx)
{
	__u32 zero = 0;
	struct symbols_asked *list = bpf_map_lookup_elem(&asked, &zero);

	if (!list || !ctx->task)
		return 0;
	/* Once: for each load of a nested pointer the verifier looks through all types by name. */
	struct seq_file *seq = ctx->meta->seq;
	/* From seq_num, not a counter of our own: a full buffer makes the kernel repeat a step. */
	__u64 from = ctx->meta->seq_num * SYMBOLS_A_STEP;
	/* Kept in one register: the verifier must see the bound on what is indexed with. */
	asm volatile("" : "+r"(from));
	if (from > SYMBOLS_ASKED - SYMBOLS_A_STEP)
		return 0;
	for (__u32 i = 0; i < SYMBOLS_A_STEP; i++) {
		__u64 at = from + i;
		if (at >= list->count)
			return 0;
		/* %pB looks one byte before: a return address may be past a function's end. */
		static const char format[] = "%pB\n";
		__u64 address = list->addresses[at];
		bpf_seq_printf(seq, format, sizeof(format), &address, sizeof(address));
	}
	return 0;
}
