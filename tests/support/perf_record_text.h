// SPDX-License-Identifier: Apache-2.0
// Records of perf events as bytes, from lines that people read:
//
//   at=1 map pid=7 file=app [data]          at=2 exec pid=7 comm=app     at=3 name pid=7 comm=worker
//   at=4 fork pid=8 parent=7 [tid=9]        at=5 exit pid=8 [tid=9]      at=6 lost count=3        at=7 throttle
//   at=8 sample pid=7 stack=app.main;app.f kernel=kernel.read period=1000
//
// What a line says of its own size may be a lie: frames=N, stack_bytes=N, and bytes=N, which cuts the record.
#pragma once

#include <linux/perf_event.h>

#include <bit>
#include <cstring>
#include <string>

#include "linux/perf_registers.h"
#include "support/code_names.h"

namespace atys::test {

class RecordBytes {
 public:
  template <typename T>
  RecordBytes& put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  RecordBytes& put_words(const std::vector<uint64_t>& words) {
    for (const uint64_t word : words) put(word);
    return *this;
  }
  RecordBytes& put_text(const std::string& text) {
    bytes_ += text;
    bytes_.resize((bytes_.size() + 8) & ~size_t{7});
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline RecordBytes sample_body(const RecordedLine& line, CodeNames& names) {
  const auto kernel = names.stack(line.text("kernel"));
  const auto user = names.stack(line.text("stack"));
  std::vector<uint64_t> chain;
  if (!kernel.empty()) chain.push_back(static_cast<uint64_t>(PERF_CONTEXT_KERNEL));
  chain.insert(chain.end(), kernel.begin(), kernel.end());
  if (!user.empty()) chain.push_back(static_cast<uint64_t>(PERF_CONTEXT_USER));
  chain.insert(chain.end(), user.begin(), user.end());
  RecordBytes body;
  body.put(user.empty() ? uint64_t{0} : user.front()).put(line.pid()).put(line.tid());
  body.put(line.number("at")).put(line.number("period", 1)).put(line.number("frames", chain.size())).put_words(chain);
  const CopiedStack copy(user);
  body.put(uint64_t{user.empty() ? PERF_SAMPLE_REGS_ABI_NONE : PERF_SAMPLE_REGS_ABI_64});
  for (int bit = 0; bit < 64 && !user.empty(); ++bit) {
    if ((linux::kPerfRegisterMask >> bit & 1) == 0) continue;
    body.put(bit == linux::kPerfRegisterPc   ? copy.pc
             : bit == linux::kPerfRegisterSp ? copy.sp
             : bit == linux::kPerfRegisterFp ? copy.fp
                                             : uint64_t{0});
  }
  const uint64_t size = copy.words.size() * sizeof(uint64_t);
  body.put(line.number("stack_bytes", size)).put_words(copy.words);
  if (size > 0) body.put(line.number("copied_bytes", size));
  return body;
}

inline RecordBytes other_body(const RecordedLine& line, CodeNames& names) {
  RecordBytes body;
  if (line.what == "map")
    body.put(line.pid()).put(line.tid()).put(names.base(line.text("file"))).put(CodeNames::kFileBytes).put(uint64_t{0});
  if (line.what == "map")
    body.put(uint64_t{0}).put(uint64_t{0}).put(uint64_t{0}).put(uint64_t{0}).put_text("/" + line.text("file"));
  if (line.what == "exec" || line.what == "name") body.put(line.pid()).put(line.tid()).put_text(line.text("comm"));
  if (line.what == "fork" || line.what == "exit")
    body.put(line.pid()).put(static_cast<uint32_t>(line.number("parent"))).put(line.tid()).put(uint32_t{0}).put(uint64_t{0});
  if (line.what == "lost") body.put(uint64_t{0}).put(line.number("count"));
  if (line.what == "throttle") body.put(uint64_t{0}).put(uint64_t{0}).put(uint64_t{0});
  return body.put(line.pid()).put(line.tid()).put(line.number("at"));  // what sample_id_all adds
}

// Empty: no record of perf events is called so.
inline std::string perf_record(const RecordedLine& line, CodeNames& names) {
  static const std::map<std::string, uint32_t> kTypes = {
      {"sample", PERF_RECORD_SAMPLE}, {"map", PERF_RECORD_MMAP2},         {"exec", PERF_RECORD_COMM},
      {"name", PERF_RECORD_COMM},     {"fork", PERF_RECORD_FORK},         {"exit", PERF_RECORD_EXIT},
      {"lost", PERF_RECORD_LOST},     {"throttle", PERF_RECORD_THROTTLE}, {"strange", 4242}};
  const auto type = kTypes.find(line.what);
  if (type == kTypes.end()) return {};
  const RecordBytes body = line.what == "sample" ? sample_body(line, names) : other_body(line, names);
  const perf_event_header header{.type = type->second,
                                 .misc = static_cast<uint16_t>(line.what == "exec"   ? PERF_RECORD_MISC_COMM_EXEC
                                                               : line.has("no-code") ? PERF_RECORD_MISC_MMAP_DATA
                                                                                     : 0),
                                 .size = static_cast<uint16_t>(sizeof(header) + body.bytes().size())};
  std::string record = RecordBytes().put(header).bytes() + body.bytes();
  record.resize(std::min<size_t>(record.size(), line.number("bytes", record.size())));
  return record;
}

}  // namespace atys::test
