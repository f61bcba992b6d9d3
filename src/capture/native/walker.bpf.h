// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Walks the frames of an interpreter in the memory of the thread that was interrupted, by the table of its process
// (walker_records.h). The thread stands still meanwhile, so what is read fits together. Included by sampler.bpf.c.
#ifndef ATYS_WALKER_BPF_H
#define ATYS_WALKER_BPF_H

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 4096);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, struct atys_walker);
} walkers SEC(".maps");

// The interpreter's state of each thread: told by user space, or learnt here.
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 8192);
  __type(key, __u32);
  __type(value, __u64);
} thread_states SEC(".maps");

// Not static, here and below: such a function is checked once, not once for each call, and loading is quicker.
__noinline __u64 follow(__u64 at, const struct atys_path* path) {
  if (!path) return 0;
  for (int i = 0; i < ATYS_MAX_STEPS; i++) {
    if (i >= path->count) break;
    __u64 next = 0;
    if (!at || bpf_probe_read_user(&next, sizeof(next), (void*)(at + path->steps[i])) != 0) return 0;
    at = next;
  }
  return at;
}

// The number of the current thread as its own pid namespace has it.
static __u32 inner_tid(void) {
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  struct pid* pid = BPF_CORE_READ(task, thread_pid);
  struct upid* own = upid_at((__u64)pid, BPF_CORE_READ(pid, level));
  return BPF_CORE_READ(own, nr);
}

__noinline int is_own_state(const struct atys_walker* walker, __u64 state, __u32 tid) {
  if (!walker) return 0;
  if (walker->identity != ATYS_NATIVE_THREAD) return 1;
  __u64 at = follow(state, &walker->identity_path);
  __u32 number = 0;
  if (!at || bpf_probe_read_user(&number, sizeof(number), (void*)(at + walker->identity_at)) != 0) return 0;
  return number == tid;
}

static __u32 known_inner_tid(struct atys_thread* slot) {
  if (!slot) return inner_tid();
  if (!slot->inner_tid) slot->inner_tid = inner_tid();
  return slot->inner_tid;
}

static void learn_state(struct atys_thread* slot, __u32 tid, __u64 state) {
  if (slot && slot->state == state) return;
  __u64* known = bpf_map_lookup_elem(&thread_states, &tid);
  if (!known || *known != state) bpf_map_update_elem(&thread_states, &tid, &state, BPF_ANY);
  if (slot) slot->state = state;
}

static __u64 state_of(const struct atys_walker* walker, struct atys_record* record) {
  if (walker->identity == ATYS_MAIN_THREAD && record->tid != record->tgid) return 0;
  struct atys_thread* slot = own_slot(record->tid);
  __u32 tid = walker->identity == ATYS_NATIVE_THREAD ? known_inner_tid(slot) : 0;
  __u64 holder = walker->holder ? follow(walker->holder, &walker->holder_path) : 0;
  if (holder && is_own_state(walker, holder, tid)) {
    if (walker->identity != ATYS_NATIVE_THREAD) return holder;  // and no lock to hold
    record->walk_flags |= ATYS_IS_HOLDER;
    learn_state(slot, record->tid, holder);
    return holder;
  }
  if (slot && slot->state && is_own_state(walker, slot->state, tid)) return slot->state;
  __u64* known = bpf_map_lookup_elem(&thread_states, &record->tid);
  if (known && is_own_state(walker, *known, tid)) {
    if (slot) slot->state = *known;
    return *known;
  }
  record->walk_flags |= ATYS_UNKNOWN_STATE;
  return 0;
}

// The text's length and its end.
static __u64 mix_text(const struct atys_cookie_text* text, __u64 object, __u64 hash) {
  __u64 words[ATYS_TEXT_WORDS] = {};
  __u64 length = 0;
  if (!object || bpf_probe_read_user(&length, sizeof(length), (void*)(object + text->length_at)) != 0)
    return atys_mix(hash, ATYS_NO_TEXT);
  __u64 bytes = length < sizeof(words) ? length : sizeof(words);
  ATYS_CHECKED_BELOW(bytes);
  if (bytes > sizeof(words)) return 0;
  if (bytes && bpf_probe_read_user(words, bytes, (void*)(object + text->text_at + length - bytes)) != 0)
    return atys_mix(hash, ATYS_NO_TEXT);
  hash = atys_mix(hash, length);
  for (int i = 0; i < ATYS_TEXT_WORDS; i++) hash = atys_mix(hash, words[i]);
  return hash;
}

// Written by user space.
struct atys_lasting lasting[ATYS_LASTING] = {};

// Code whose pieces were sent, by its cookie. Those that have the same place are sent again and again, which does no harm.
enum { ATYS_SENT = 16384 };
__u64 sent[ATYS_SENT] = {};

// Memory of the process, as far as it is there. Returns how much.
static __u64 copy_part(char* to, __u64 from, __u64 bytes) {
  ATYS_CHECKED_BELOW(bytes);
  if (!from || bytes == 0 || bytes > ATYS_PIECE_BYTES) return 0;
  if (bpf_probe_read_user(to, bytes, (void*)from) == 0) return bytes;
  __u64 in_page = ATYS_PAGE - (from & (ATYS_PAGE - 1));
  ATYS_CHECKED_BELOW(in_page);
  if (in_page == 0 || in_page >= bytes || in_page > ATYS_PIECE_BYTES) return 0;
  return bpf_probe_read_user(to, in_page, (void*)from) == 0 ? in_page : 0;
}

// What the name of code is made of. False: there was no room for it.
__noinline int send_code(const struct atys_walker* walker, __u64 address, __u64 cookie) {
  if (!walker) return 0;
  struct atys_code* code = bpf_ringbuf_reserve(&ring, sizeof(*code), 0);
  if (!code) return 0;
  code->head.type = ATYS_CODE;
  code->head.tgid = current_tgid();
  code->head.time_ns = bpf_ktime_get_ns();
  code->head.stack_hash = cookie;
  code->head.pc = address;
  for (int i = 0; i < ATYS_PIECES; i++) {
    __u64 from = address;
    __u64 pointer = walker->pieces[i].of * ATYS_PIECE_BYTES + walker->pieces[i].pointer;
    ATYS_CHECKED_BELOW(pointer);
    if (i > 0 && pointer <= (ATYS_PIECES - 1) * ATYS_PIECE_BYTES - sizeof(from))
      __builtin_memcpy(&from, (char*)code->pieces + pointer, sizeof(from));
    code->copied[i].address = from;
    code->copied[i].bytes = copy_part(code->pieces[i], from, walker->pieces[i].bytes);
  }
  bpf_ringbuf_submit(code, wakeup_flags(walker->is_fleeting));
  return 1;
}

// The cookie of the code at that address. 0: it cannot be read, or there is none. `read_cookie` in user space does the same.
__noinline __u64 look_at_code(const struct atys_walker* walker, __u64 code, __u32 tgid) {
  __u64 words[ATYS_COOKIE_WORDS] = {};
  __u64 kind = 0;
  if (!walker || !code) return 0;
  __u64 bytes = walker->cookie.words * sizeof(__u64);
  ATYS_CHECKED_BELOW(bytes);
  if (bytes == 0 || bytes > sizeof(words)) return 0;
  if (bpf_probe_read_user(words, bytes, (void*)(code + walker->cookie.at)) != 0) return 0;
  __u64 hash = ATYS_COOKIE_SEED;
  for (int i = 0; i < ATYS_COOKIE_WORDS; i++) hash = atys_mix(hash, words[i]);
  __u64 key = atys_lasting_key(code, tgid);
  const struct atys_lasting* known = &lasting[atys_lasting_place(key)];
  if (known->code == key && known->words == hash) return known->cookie;
  if (walker->cookie.short_kind < ATYS_NO_KIND && bpf_probe_read_user(&kind, 1, (void*)code) != 0) return 0;
  for (int i = 0; i < ATYS_COOKIE_TEXTS; i++) {
    __u64 object = 0;
    if (!walker->cookie.texts[i].pointer || (i > 0 && walker->cookie.short_kind == kind)) break;
    if (bpf_probe_read_user(&object, sizeof(object), (void*)(code + walker->cookie.texts[i].pointer)) != 0) return 0;
    hash = mix_text(&walker->cookie.texts[i], object, hash);
  }
  hash |= 1;
  __u64* last_sent = &sent[(hash >> 1) % ATYS_SENT];
  if (*last_sent != hash && send_code(walker, code, hash)) *last_sent = hash;
  return hash;
}

struct walking {
  struct scratch* scratch;
  struct atys_walker* walker;
  __u64 frame;
  __u64 callee;  // of it, in the chain; 0: it is the innermost
  __u64 end;
  __u32 at;  // of the first walked frame in the payload
};

// A number of so many bytes in the window.
static __u64 window_number(struct scratch* scratch, __u64 offset, __u32 bytes) {
  ATYS_CHECKED_BELOW(offset);
  if (offset > sizeof(scratch->window) - 8 || bytes == 0) return 0;
  return *(__u64*)&scratch->window[offset] & (~0ull >> (64 - 8 * (bytes & 15)));
}

// How much to read before a frame: callers, where they lie there. That is up to the beginning of the page: to read is dear,
// to read more is not. A frame that lies elsewhere than what it called, as a generator's does, has no callers around it.
static __u64 bytes_of_callers(const struct walking* walk, __u64 from) {
  if (!walk->walker->is_stacked) return 0;
  if (walk->callee && walk->callee - walk->frame > ATYS_STACKED_WITHIN) return 0;
  __u64 before = from & (ATYS_PAGE - 1);
  return before > ATYS_CALLERS_WINDOW ? ATYS_CALLERS_WINDOW : before;
}

// Makes `bytes` at `from` part of the window.
static int read_window(const struct walking* walk, __u64 from, __u64 bytes) {
  struct scratch* scratch = walk->scratch;
  if (from >= scratch->window_start && from + bytes <= scratch->window_end) return 0;
  __u64 before = bytes_of_callers(walk, from);
  __u64 all = before + bytes;
  ATYS_CHECKED_BELOW(all);
  scratch->window_start = scratch->window_end = 0;
  if (all == 0 || all > sizeof(scratch->window)) return -1;
  if (bpf_probe_read_user(scratch->window, all, (void*)(from - before)) != 0) return -1;
  scratch->window_start = from - before;
  scratch->window_end = from + bytes;
  return 0;
}

static long walk_frame(__u64 index, void* context) {
  struct walking* walk = context;
  struct scratch* scratch = walk->scratch;
  struct atys_walker* walker = walk->walker;
  if (!walk->frame || walk->frame == walk->end) return 1;
  __u64 from = walk->frame + walker->window_at;
  __u64 at = walk->at + index * sizeof(struct atys_walked);
  ATYS_CHECKED_BELOW(at);
  if (at > ATYS_MAX_KERNEL_FRAMES * 8 + (ATYS_MAX_WALKED - 1) * sizeof(struct atys_walked)) return 1;
  if (walker->window > ATYS_FRAME_WINDOW || read_window(walk, from, walker->window) != 0) {
    scratch->record.walk_flags |= ATYS_WALK_CUT;
    return 1;
  }
  __u64 offset = from - scratch->window_start;
  struct atys_walked* walked = (struct atys_walked*)&scratch->payload[at];
  walked->code = window_number(scratch, offset + walker->code, 8) & ATYS_ADDRESS;
  walked->position = window_number(scratch, offset + walker->position, walker->position_bytes);
  walked->cookie = look_at_code(walker, walked->code & ~ATYS_CODE_TAGS, scratch->record.tgid);
  walked->code |= window_number(scratch, offset + walker->marker, walker->marker_bytes) << 48;
  scratch->record.walked = index + 1;
  walk->callee = walk->frame;
  walk->frame = walker->stride ? walk->frame + walker->stride : window_number(scratch, offset + walker->next, 8);
  return 0;
}

// The innermost frame's position, where the interpreter has it in a register at the moment.
static void set_live_position(struct scratch* scratch, const struct atys_walker* walker, __u64 at) {
  __u64 pc = scratch->record.pc;
  if (pc < walker->live_start || pc >= walker->live_end) return;
  struct pt_regs* regs = (struct pt_regs*)bpf_task_pt_regs(bpf_get_current_task_btf());
  if (!regs) return;
  ATYS_CHECKED_BELOW(at);
  if (at > ATYS_MAX_KERNEL_FRAMES * 8) return;
  ((struct atys_walked*)&scratch->payload[at])->position = ATYS_REG_LIVE(regs);
}

static struct atys_walker* walker_of(__u32 tgid) {
  if (only_tgid) return only.has_walker ? &only.walker : 0;
  return bpf_map_lookup_elem(&walkers, &tgid);
}

// Adds the interpreter's frames at `at` of the payload; returns how many bytes they are.
__noinline __u32 walk_interpreter(struct scratch* scratch, __u32 at) {
  if (!scratch) return 0;
  struct atys_record* record = &scratch->record;
  struct atys_walker* walker = walker_of(record->tgid);
  if (!walker) return 0;
  record->walk_flags = ATYS_WALKED | (walker->is_fleeting ? ATYS_FLEETING : 0);
  __u64 state = state_of(walker, record);
  if (!state) return 0;
  scratch->window_start = scratch->window_end = 0;
  struct walking walk = {.scratch = scratch, .walker = walker, .at = at};
  walk.frame = follow(state, &walker->top);
  if (walker->stride) walk.end = follow(state, &walker->end);
  bpf_loop(ATYS_MAX_WALKED, walk_frame, &walk, 0);
  if (record->walked) set_live_position(scratch, walker, at);
  if (record->walked == ATYS_MAX_WALKED) record->walk_flags |= ATYS_WALK_CUT;
  return record->walked * sizeof(struct atys_walked);
}

#endif
