// SPDX-License-Identifier: Apache-2.0
// Walks the frames of an interpreter in the thread that the signal interrupted, by the same table as the sampler in the
// Linux kernel (capture/native/walker.bpf.h) and the reader from outside (capture/walking/walk_remote.h).
#pragma once

#include "capture/preload/library/own_memory.h"
#include "capture/preload/shared_memory.h"

namespace atys::preload {

class Walk {
 public:
  Walk(OwnMemory& memory, const atys_walker& walker, Request& request)
      : memory_(memory), walker_(walker), request_(request) {}

  // `live`: the register that has the position of the innermost frame in some code.
  void run(uint64_t live) {
    request_.walk_flags = ATYS_WALKED | (walker_.is_fleeting ? ATYS_FLEETING : 0);
    const uint64_t state = own_state();
    if (state == 0) return;
    uint64_t frame = follow(state, walker_.top);
    const uint64_t end = walker_.stride != 0 ? follow(state, walker_.end) : 0;
    while (frame != 0 && frame != end && request_.walked < kMostWalked) {
      if (walker_.window == 0 || walker_.window > ATYS_FRAME_WINDOW ||
          !memory_.read(window_, frame + static_cast<int64_t>(walker_.window_at), walker_.window)) {
        request_.walk_flags |= ATYS_WALK_CUT;
        break;
      }
      append_frame();
      frame = walker_.stride != 0 ? frame + static_cast<int64_t>(walker_.stride) : number(walker_.next, 8);
    }
    if (request_.walked == kMostWalked) request_.walk_flags |= ATYS_WALK_CUT;
    const uint64_t pc = request_.registers.pc;
    if (request_.walked > 0 && pc >= walker_.live_start && pc < walker_.live_end) request_.frames[0].position = live;
  }

 private:
  uint64_t follow(uint64_t at, const atys_path& path) {
    for (uint32_t i = 0; i < path.count && i < ATYS_MAX_STEPS; ++i) {
      uint64_t next = 0;
      if (at == 0 || !memory_.read(&next, at + path.steps[i], sizeof next)) return 0;
      at = next;
    }
    return at;
  }

  bool is_own(uint64_t state) {
    if (walker_.identity != ATYS_NATIVE_THREAD) return true;
    const uint64_t at = follow(state, walker_.identity_path);
    uint32_t thread = 0;
    return at != 0 && memory_.read(&thread, at + walker_.identity_at, sizeof thread) && thread == own_thread();
  }

  uint64_t own_state() {
    if (walker_.identity == ATYS_MAIN_THREAD && own_thread() != own_process()) return 0;
    const uint64_t holder = walker_.holder != 0 ? follow(walker_.holder, walker_.holder_path) : 0;
    if (holder != 0 && is_own(holder)) {
      if (walker_.identity == ATYS_NATIVE_THREAD) request_.walk_flags |= ATYS_IS_HOLDER;
      return holder;
    }
    if (request_.state != 0 && is_own(request_.state)) return request_.state;
    request_.walk_flags |= ATYS_UNKNOWN_STATE;
    return 0;
  }

  uint64_t number(uint32_t offset, uint32_t bytes) const {
    uint64_t value = 0;
    if (bytes <= sizeof value && offset <= sizeof window_ - sizeof value) copy_bytes(&value, window_ + offset, bytes);
    return value;
  }

  void append_frame() {
    atys_walked& walked = request_.frames[request_.walked++];
    walked.code = number(walker_.code, 8) & ATYS_ADDRESS;
    walked.position = number(walker_.position, walker_.position_bytes);
    walked.cookie = cookie_of(walked.code & ~ATYS_CODE_TAGS);
    walked.code |= number(walker_.marker, walker_.marker_bytes) << 48;
  }

  uint64_t mix_text(const atys_cookie_text& text, uint64_t object, uint64_t hash) {
    uint64_t words[ATYS_TEXT_WORDS] = {};
    uint64_t length = 0;
    if (object == 0 || !memory_.read(&length, object + text.length_at, sizeof length)) return atys_mix(hash, ATYS_NO_TEXT);
    const uint64_t bytes = length < sizeof words ? length : sizeof words;
    if (bytes != 0 && !memory_.read(words, object + text.text_at + length - bytes, bytes))
      return atys_mix(hash, ATYS_NO_TEXT);
    hash = atys_mix(hash, length);
    for (const uint64_t word : words) hash = atys_mix(hash, word);
    return hash;
  }

  uint64_t cookie_of(uint64_t code) {
    const atys_cookie& cookie = walker_.cookie;
    uint64_t words[ATYS_COOKIE_WORDS] = {};
    if (code == 0 || cookie.words == 0 || cookie.words > ATYS_COOKIE_WORDS) return 0;
    if (!memory_.read(words, code + cookie.at, cookie.words * sizeof(uint64_t))) return 0;
    uint64_t hash = ATYS_COOKIE_SEED;
    for (const uint64_t word : words) hash = atys_mix(hash, word);
    unsigned char kind = 0;
    if (cookie.short_kind < ATYS_NO_KIND && !memory_.read(&kind, code, 1)) return 0;
    for (int i = 0; i < ATYS_COOKIE_TEXTS; ++i) {
      const atys_cookie_text& text = cookie.texts[i];
      uint64_t object = 0;
      if (text.pointer == 0 || (i > 0 && cookie.short_kind == kind)) break;
      if (!memory_.read(&object, code + text.pointer, sizeof object)) return 0;
      hash = mix_text(text, object, hash);
    }
    return hash | 1;
  }

  OwnMemory& memory_;
  const atys_walker& walker_;
  Request& request_;
  unsigned char window_[ATYS_FRAME_WINDOW] = {};
};

}  // namespace atys::preload
