// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Samples of what runs: a clock event on every CPU counts the task, its mode, its system
 * call and its stacks. Stacks are kept once, under a hash of their frames: the kernel's own
 * stack maps refuse or replace stacks whose hashes meet, and their entries do not age.
 *
 * Everything is allocated beforehand: the events come in interrupt context.
 */
#include "vmlinux_min.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "overhead.h"
#include "profile.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define PF_KTHREAD 0x00200000
#define E2BIG 7

/* The context of the program as the kernel promises it on x86-64 (asm/ptrace.h). */
struct bpf_perf_event_data {
	u64 r15_to_orig_ax[16];
	u64 ip, cs, flags, sp, ss;
	u64 sample_period, addr;
};

/* This program: its own cost is told elsewhere. */
const volatile u32 own_tgid = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_KEYS);
	__type(key, struct profile_key);
	__type(value, struct profile_count);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_STACKS);
	__type(key, u64);
	__type(value, struct profile_stack);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct profile_stack);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct profile_totals);
} totals SEC(".maps");

/* Keeps the stack of one kind and gives its hash; 0 where there is none. */
static __always_inline u64 keep_stack(void *ctx, u64 flags, struct profile_totals *total)
{
	u32 zero = 0;
	struct profile_stack *stack = bpf_map_lookup_elem(&scratch, &zero);

	if (!stack)
		return 0;
	long bytes = bpf_get_stack(ctx, stack->addresses, sizeof(stack->addresses), flags);
	if (bytes <= 0)
		return 0;
	u32 frames = (u32)bytes / sizeof(u64);
	/* FNV-1a over whole words; its low quality is mended by the multiplication at the end. */
	u64 hash = 14695981039346656037ull;
	/* The helper clears what it does not fill; a loop without branches is verified quickly. */
	for (u32 i = 0; i < PROFILE_FRAMES; i++)
		hash = (hash ^ stack->addresses[i]) * 1099511628211ull;
	hash ^= hash >> 29;
	hash *= 0xbf58476d1ce4e5b9ull;
	if (!hash)
		hash = 1;
	if (bpf_map_lookup_elem(&stacks, &hash))
		return hash;
	stack->frames = frames;
	if (bpf_map_update_elem(&stacks, &hash, stack, BPF_NOEXIST) == -E2BIG)
		total->stacks_dropped++;
	return hash;
}

static __always_inline void sampled(struct bpf_perf_event_data *ctx)
{
	u32 zero = 0;
	struct profile_totals *total = bpf_map_lookup_elem(&totals, &zero);
	struct task_struct *task = bpf_get_current_task_btf();

	if (!total)
		return;
	if (!task->pid) {
		total->idle++;
		return;
	}
	if (task->tgid == (int)own_tgid) {
		total->own++;
		return;
	}
	total->samples++;

	struct profile_key key = { .tid = task->pid, .tgid = task->tgid, .call = PROFILE_NO_CALL };
	key.kernel_thread = (task->flags & PF_KTHREAD) != 0;
	/* The kernel has the upper half of the addresses on every 64-bit architecture. */
	key.kernel_mode = (s64)ctx->ip < 0;
	if (key.kernel_mode)
		key.kernel_stack = keep_stack(ctx, 0, total);
	if (!key.kernel_thread) {
		key.user_stack = keep_stack(ctx, BPF_F_USER_STACK, total);
		struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
		long call = regs->orig_ax;
		/* Faults and interrupts have a negative number there. */
		if (key.kernel_mode && call >= 0 && call < PROFILE_NO_CALL)
			key.call = call;
	}

	struct profile_count *count = bpf_map_lookup_elem(&counts, &key);
	if (count) {
		__sync_fetch_and_add(&count->samples, 1);
		return;
	}
	struct profile_count first = { .samples = 1 };
	__builtin_memcpy(first.comm, task->comm, sizeof(first.comm));
	BPF_CORE_READ_INTO(&first.process, task, group_leader, comm);
	if (bpf_map_update_elem(&counts, &key, &first, BPF_NOEXIST))
		total->keys_dropped++;
}

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	return WITH_OVERHEAD(0, sampled(ctx));
}
