// SPDX-License-Identifier: Apache-2.0
// Who changed what: a line of JSON for each call that changes what a fleet does, whether it was allowed or not. Bounded: a
// full file is kept once, under another name.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/access.h"

namespace atys::fleet {

struct Caller {
  Role role = Role::Admin;
  std::string address;  // empty: this process
};

class AuditLog {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{8} << 20;

  explicit AuditLog(std::string path, uint64_t most_bytes = kMostBytes) : path_(std::move(path)), most_bytes_(most_bytes) {}

  // `outcome` is "done", or why not. What cannot be written is counted: it must not keep an operator from working.
  void add(int64_t now_ns, const Caller& caller, const std::string& action, const std::string& what,
           const std::string& outcome);
  uint64_t lost_lines() const;

 private:
  bool append(const std::string& line);

  const std::string path_;
  const uint64_t most_bytes_;
  mutable std::mutex mutex_;
  uint64_t lost_lines_ = 0;
};

}  // namespace atys::fleet
