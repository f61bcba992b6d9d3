// SPDX-License-Identifier: Apache-2.0
// Makes stacks, frames and the names of threads and classes from the constants of one chunk. Each constant is taken apart
// once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/jfr/constant_pools.h"
#include "format/jfr/values.h"
#include "profile/profile.h"

namespace atys::format::jfr {

struct ThreadName {
  profile::StringId name{};
  int64_t os_id = 0;  // 0: unknown

  bool operator==(const ThreadName&) const = default;
};

struct ResolvedStack {
  profile::StackId stack{};
  bool is_truncated = false;  // the recorder left out the outermost frames
  bool is_missing = false;    // the event names a stack that is not in the file
};

class StackResolver {
 public:
  // All three outlive the resolver. `text_limit`: how much text the profile may hold.
  StackResolver(const Metadata& metadata, const ConstantPools& pools, Profile& profile, size_t text_limit)
      : metadata_(&metadata), pools_(&pools), values_(metadata), profile_(&profile), text_limit_(text_limit) {}

  Result<ResolvedStack> stack(const Value& trace);
  ThreadName thread(const Value& thread);
  profile::StringId class_named(const Value& type);  // of an object: "byte[]"
  profile::StringId state(const Value& state);

 private:
  struct Method {
    std::string class_name;  // as the virtual machine keeps it; of native code: the library
    std::string name;
    bool is_java = false;
  };

  Result<ResolvedStack> read_stack(const Value& trace);
  Result<> read_frames(Cursor& cursor, const Field& field);
  profile::FrameId frame(const Value& method, const Value& line, const Value& type);
  profile::FrameId make_frame(const Method& method, int64_t line, std::string_view type);
  profile::FrameId name_frame(profile::Frame frame, std::string_view name, int64_t line);
  Method read_method(const Value& method) const;
  std::string name_of(const Value& value) const;  // never longer than kMaxNameBytes

  struct FrameKey {
    uint64_t method = 0;
    uint64_t type = 0;
    int64_t line = 0;
    bool operator==(const FrameKey&) const = default;
  };
  struct FrameHash {
    size_t operator()(const FrameKey& key) const {
      return profile::hash_mix(key.method ^ profile::hash_seed(), static_cast<uint64_t>(key.line) << 8 ^ key.type);
    }
  };

  const Metadata* metadata_;
  const ConstantPools* pools_;
  ValueReader values_;
  Profile* profile_;
  size_t text_limit_;
  IdMap<ResolvedStack> stacks_;
  IdMap<ThreadName> threads_;
  IdMap<profile::StringId> classes_;
  IdMap<profile::StringId> states_;
  std::unordered_map<FrameKey, profile::FrameId, FrameHash> frames_;
  std::vector<profile::FrameId> scratch_;
};

}  // namespace atys::format::jfr
