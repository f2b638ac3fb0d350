/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Who asked whom over an unnamed Unix pair, seen where one task wakes another: neither side
 * of such a pair is the server by its making, so whoever sent a request waits for an answer.
 *
 * Included after the map of accounts, because the waker's account is marked too.
 */
#pragma once

#include "ledger_kind.h"

static __always_inline u8 family_of_call(struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	return call_family[regs->orig_ax & (CALLS - 1)];
}

/*
 * A task that wakes a reader of a socket has sent it something; one that reads itself
 * has only made room by taking what the sleeper had sent.
 */
static __always_inline void note_request(struct ledger_account *sleeper, struct task_struct *waker)
{
	if (waker->flags & PF_KTHREAD)
		return;
	u8 family = family_of_call(waker);
	if (family == CALL_READ || family == CALL_RECEIVE) {
		sleeper->asked = 1;
		return;
	}
	/* Answered; and who answers may be asking in turn. */
	sleeper->asked = 0;
	struct ledger_account *own = bpf_task_storage_get(&accounts, waker, 0, 0);
	if (own)
		own->asked = 1;
}

/*
 * The same of a reader that is about to sleep and still on its CPU. What it reads from is not
 * known yet and does not matter: only who sleeps at an unnamed Unix pair asks for this. Whose
 * request was taken may sleep now and, since that makes room, once more.
 */
static __noinline int note_early(struct ledger_account *reader, struct task_struct *task)
{
	struct task_struct *waker = (struct task_struct *)bpf_get_current_task_btf();
	if ((waker->flags | task->flags) & PF_KTHREAD)
		return 0;
	u8 reads = family_of_call(task), family = family_of_call(waker);
	if (reads != CALL_READ && reads != CALL_RECEIVE)
		return 0;
	if (family == CALL_READ || family == CALL_RECEIVE) {
		reader->asked = 2;
	} else if (family == CALL_WRITE || family == CALL_SEND) {
		struct ledger_account *own = bpf_task_storage_get(&accounts, waker, 0, 0);
		if (own)
			own->asked = 1;
	}
	return 0;
}
