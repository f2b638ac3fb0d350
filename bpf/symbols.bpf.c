// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Names of kernel functions, asked of the kernel itself: an iterator prints the names of
 * the addresses that user space put into a map. It costs about a microsecond a name, where
 * reading /proc/kallsyms takes 40 ms of CPU, and works where kptr_restrict hides that file.
 *
 * The tasks that the iterator walks over serve as a counter only.
 */
#include "vmlinux_min.h"
#include <bpf/bpf_helpers.h>
#include "symbols.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct symbols_asked);
} asked SEC(".maps");

SEC("iter/task")
int name_symbols(struct bpf_iter__task *ctx)
{
	u32 zero = 0;
	struct symbols_asked *list = bpf_map_lookup_elem(&asked, &zero);

	if (!list || !ctx->task)
		return 0;
	/* From seq_num, not a counter of our own: a full buffer makes the kernel repeat a step. */
	u64 from = ctx->meta->seq_num * SYMBOLS_A_STEP;
	for (u32 i = 0; i < SYMBOLS_A_STEP; i++) {
		u64 at = from + i;
		if (at >= list->count || at >= SYMBOLS_ASKED)
			return 0;
		/* %pB looks one byte before: a return address may be past a function's end. */
		static const char format[] = "%pB\n";
		u64 address = list->addresses[at];
		bpf_seq_printf(ctx->meta->seq, format, sizeof(format), &address, sizeof(address));
	}
	return 0;
}
