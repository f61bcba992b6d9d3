// SPDX-License-Identifier: Apache-2.0
// From what arrives to what is stored: OTLP bytes of our agents, or of anybody else, become windows. What says nothing of a
// service, a time or an id gets what the conventions have for it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/profile_store.h"

namespace atys::fleet {

enum class OtlpEncoding { Protobuf, Json };

struct Received {
  std::vector<store::Window> windows;
  std::vector<size_t> profiles;               // how many OTLP profiles each window is made of, or of parts of which
  size_t rejected = 0;                        // profiles that are no use, e.g. of a time that is not kept
  std::string why;                            // of the first of them
  std::map<std::string, size_t> rejected_by;  // "invalid", "too_old", "future"
};

// What is known of the clock of a node that reports here.
enum class NodeClock { Unknown, Right, Off };

struct ReceiveLimits {
  int64_t earliest_ns = 0;  // windows that start before are past their retention already
  int64_t latest_ns = INT64_MAX;
  int64_t now_ns = 0;  // what a profile without a time gets
  std::function<NodeClock(const std::string& node)> clock_of = {};
};

// Unavailable: it has a time that is not kept, and it may be our clock that is wrong, or one that will be right soon: it is
// to be sent again. Only agents and controllers get to hear that, who keep their windows until then.
Result<Received> read_windows(std::string_view bytes, OtlpEncoding encoding, const ReceiveLimits& limits);

}  // namespace atys::fleet
