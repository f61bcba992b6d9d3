// SPDX-License-Identifier: Apache-2.0
#include "store/check_window.h"

#include <string>

namespace atys::store {

namespace {

constexpr size_t kMaxText = 1024;
constexpr size_t kMaxLabels = 64;
// Far above any window of ours; together with a full dictionary it stays below what a chunk may have.
constexpr size_t kMaxProfileBytes = size_t{32} << 20;
constexpr int64_t kEarliest = 946'684'800'000'000'000;  // 2000
constexpr int64_t kLatest = 7'258'118'400'000'000'000;  // 2200

}  // namespace

Result<> check_window(const Window& window) {
  const auto refuse = [](const char* why) { return fail(ErrorCode::InvalidInput, std::string("window refused: ") + why); };
  if (window.id == Id{}) return refuse("it has no id");
  if (window.service.empty()) return refuse("it has no service");
  if (window.kind.empty()) return refuse("it has no kind");
  if (window.start_ns < kEarliest || window.start_ns >= kLatest)
    return refuse("its time is not of this century or the next");
  if (window.end_ns < window.start_ns) return refuse("it ends before it starts");
  for (const std::string* text : {&window.service, &window.kind, &window.version, &window.node, &window.instance}) {
    if (text->size() > kMaxText) return refuse("a name of more than 1,024 bytes");
  }
  if (window.labels.size() > kMaxLabels) return refuse("more than 64 labels");
  for (const auto& [key, value] : window.labels) {
    if (key.size() > kMaxText || value.size() > kMaxText) return refuse("a label of more than 1,024 bytes");
  }
  if (window.profile.memory_bytes() > kMaxProfileBytes) return refuse("its profile takes more than 32 MiB");
  return {};
}

}  // namespace atys::store
