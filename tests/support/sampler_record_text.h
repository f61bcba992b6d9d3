// SPDX-License-Identifier: Apache-2.0
// Records of the sampler in the kernel (sampler_records.h) as bytes, from lines that people read:
//
//   at=1 copy pid=7 stack=app.main;app.f kernel=kernel.read weight=1000     one sample, with a copy of its stack
//   at=2 counted pid=7 stack=app.main;app.f hash=5                          a stack that the kernel counts from now on
//   at=3 wait-begin pid=7 stack=… kernel=… pair=9     wait-end pid=7 pair=9 weight=1000 [state=preempted]
//   at=4 wait pid=7 stack=… pair=9 weight=1000        waker pid=8 stack=… pair=9 [outside=1]
//   at=5 thread-end pid=7 tid=8 began=1 cpu=100 waited=50
//   at=6 walk pid=7 frames=a;b weight=1000            frames of an interpreter alone
//   code pid=7 address=0x10 cookie=3 text=hello
//
// What a record says of itself may be a lie: kernel_frames=N, user_frames=N, copied=N, walked=N, context=N; bytes=N cuts it.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "capture/native/sampler_records.h"
#include "support/code_names.h"
#include "support/perf_record_text.h"

namespace atys::test {

inline const std::map<std::string, uint32_t>& sampler_record_types() {
  static const std::map<std::string, uint32_t> types = {{"copy", ATYS_STACK_COPY},
                                                        {"walk", ATYS_STACK_COPY},
                                                        {"counted", ATYS_COUNTED_STACK},
                                                        {"wait-begin", ATYS_WAIT_BEGIN},
                                                        {"wait-end", ATYS_WAIT_END},
                                                        {"wait", ATYS_WAIT},
                                                        {"waker", ATYS_WAKER},
                                                        {"thread-end", ATYS_THREAD_END},
                                                        {"code", ATYS_CODE},
                                                        {"unheard-of", 77}};
  return types;
}

inline atys_record sampler_head(const RecordedLine& line, uint32_t type) {
  atys_record head{};
  head.type = type;
  head.tgid = line.pid();
  head.tid = line.tid();
  head.time_ns = line.number("at");
  head.weight = line.number("weight", line.number("cpu"));
  head.stack_hash = line.number("hash", line.number("pair", line.number("began", line.number("cookie"))));
  head.pc = line.number("waited", line.number("address"));
  head.wait_state =
      line.text("state") == "preempted" ? uint32_t{ATYS_PREEMPTED} : static_cast<uint32_t>(line.number("state", 1));
  head.walk_flags = static_cast<uint16_t>((line.has("outside") ? ATYS_OUTSIDE : 0) | (line.has("frames") ? ATYS_WALKED : 0) |
                                          static_cast<int>(line.number("flags")));
  const std::string comm = line.text("comm", "app");
  std::memcpy(head.comm, comm.data(), std::min<size_t>(comm.size(), ATYS_COMM));
  return head;
}

inline std::string code_record(const RecordedLine& line) {
  atys_code code{};
  code.head = sampler_head(line, ATYS_CODE);
  const std::string text = line.text("text");
  code.copied[0] = {line.number("address"), line.number("copied", text.size())};
  std::memcpy(code.pieces[0], text.data(), std::min<size_t>(text.size(), ATYS_PIECE_BYTES));
  return RecordBytes().put(code).bytes();
}

// Frames of an interpreter are letters: the code of `c` is 'c'.
inline std::vector<atys_walked> walked_frames(const std::string& frames) {
  std::vector<atys_walked> walked;
  for (const std::string& frame : parts_of(frames, ';'))
    walked.push_back({.code = static_cast<uint64_t>(frame.front()), .position = 0, .cookie = 0});
  std::ranges::reverse(walked);
  return walked;
}

inline std::string stack_record(const RecordedLine& line, uint32_t type, CodeNames& names) {
  atys_record head = sampler_head(line, type);
  const auto kernel = names.stack(line.text("kernel"));
  const auto user = names.stack(line.text("stack"));
  const auto walked = walked_frames(line.text("frames"));
  const bool is_copied = line.what == "copy" || line.has("outside");
  const CopiedStack copy(user);
  const std::vector<uint64_t>& payload = is_copied ? copy.words : user;
  if (is_copied || line.what == "counted") head.pc = copy.pc;
  if (is_copied) head.sp = copy.sp;
  if (is_copied) head.fp = copy.fp;
  const uint64_t copied = is_copied ? payload.size() * sizeof(uint64_t) : 0;
  head.kernel_frames = static_cast<uint16_t>(line.number("kernel_frames", kernel.size()));
  head.walked = static_cast<uint16_t>(line.number("walked", walked.size()));
  head.user_frames = static_cast<uint16_t>(line.number("user_frames", is_copied ? 0 : user.size()));
  head.copied_bytes = static_cast<uint32_t>(line.number("copied", copied));
  head.context_bytes = static_cast<uint32_t>(line.number("context"));
  RecordBytes record;
  record.put(head).put_words(kernel);
  for (const atys_walked& frame : walked) record.put(frame);
  return record.put_words(payload).bytes();
}

// Empty: no record of the sampler is called so.
inline std::string sampler_record(const RecordedLine& line, CodeNames& names) {
  const auto type = sampler_record_types().find(line.what);
  if (type == sampler_record_types().end()) return {};
  std::string record = line.what == "code" ? code_record(line) : stack_record(line, type->second, names);
  record.resize(std::min<size_t>(record.size(), line.number("bytes", record.size())));
  return record;
}

// A wait that goes on, as the iterator tells it.
inline std::string cut_record(const RecordedLine& line, CodeNames& names) {
  atys_cut cut{};
  cut.record = sampler_head(line, ATYS_WAIT_SO_FAR);
  const auto kernel = names.stack(line.text("kernel"));
  const CopiedStack copy(names.stack(line.text("stack")));
  cut.record.pc = copy.pc;
  cut.record.sp = copy.sp;
  cut.record.fp = copy.fp;
  cut.record.kernel_frames = static_cast<uint16_t>(line.number("kernel_frames", kernel.size()));
  cut.waited_ns = line.number("waited");
  std::copy_n(kernel.begin(), std::min<size_t>(kernel.size(), ATYS_MAX_KERNEL_FRAMES), cut.kernel_frames);
  return RecordBytes().put(cut).bytes();
}

}  // namespace atys::test
