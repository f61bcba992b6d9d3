// SPDX-License-Identifier: Apache-2.0
#include "capture/native/thread_contexts.h"

#include <algorithm>
#include <cstring>

#include "base/hex.h"

namespace atys::capture::native {

namespace {

constexpr uint64_t kFirstPauseNs = 20'000'000;
constexpr uint32_t kMostLooks = 6;  // each pause is four times as long: the last look is after half a minute
constexpr uint64_t kKeysIntervalNs = 100'000'000;
constexpr size_t kMostNumbers = 200'000;
constexpr size_t kTraceBytes = 16;
constexpr size_t kSpanBytes = 8;

bool is_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

std::string text_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void set(ThreadContexts::Labels& labels, const std::string& key, std::string value) {
  for (auto& [known, old] : labels)
    if (known == key) {
      old = std::move(value);  // the last one counts
      return;
    }
  labels.emplace_back(key, std::move(value));
}

}  // namespace

void ThreadContexts::look_at(Process& process, uint64_t now_ns) {
  ContextState& state = process.context;
  if (finder_ == nullptr || state.is_found || now_ns < state.look_at_ns) return;
  state.look_at_ns = state.looks < kMostLooks ? now_ns + (kFirstPauseNs << (2 * state.looks)) : kNever;
  ++state.looks;
  find(process);
}

bool ThreadContexts::find(Process& process) {
  auto found = finder_->find_context(process.pid);
  if (!found) return false;
  ContextState& state = process.context;
  state.is_go = found->place.kind == ATYS_GO_LABELS;
  state.keys = std::move(found->keys);
  if (!state.is_found) source_.set_context_place(process.pid, &found->place);
  state.is_found = true;
  return true;
}

uint32_t ThreadContexts::number_of(Process& process, std::span<const std::byte> bytes, uint64_t now_ns) {
  if (bytes.empty() || !process.context.is_found) return 0;  // what was read was another program's
  Labels labels;
  if (process.context.is_go) {
    read_go_labels(bytes, labels);
  } else if (!read_open_telemetry(process, bytes, labels) && finder_ != nullptr && now_ns >= process.context.keys_at_ns) {
    process.context.keys_at_ns = now_ns + kKeysIntervalNs;  // keys are added as the program goes
    labels.clear();
    find(process);
    if (!read_open_telemetry(process, bytes, labels)) ++losses_["labels of threads whose keys are not known"];
  }
  if (labels.empty()) return 0;
  if (numbers_.size() >= kMostNumbers && !numbers_.contains(labels)) {
    ++losses_["samples without their labels: too many different ones"];
    return 0;
  }
  const auto [found, is_new] = numbers_.try_emplace(std::move(labels), static_cast<uint32_t>(labels_.size()));
  if (is_new) labels_.push_back(&found->first);
  return found->second;
}

// False: it has an attribute whose key is not known.
bool ThreadContexts::read_open_telemetry(const Process& process, std::span<const std::byte> bytes, Labels& labels) const {
  if (bytes.size() < ATYS_CONTEXT_HEAD) return true;
  const auto trace = bytes.first(kTraceBytes);
  const auto span = bytes.subspan(kTraceBytes, kSpanBytes);
  if (!is_zero(trace)) labels.emplace_back("trace_id", to_hex(trace));
  if (!is_zero(span)) labels.emplace_back("span_id", to_hex(span));
  uint16_t size = 0;
  std::memcpy(&size, &bytes[ATYS_CONTEXT_SIZE_AT], sizeof(size));
  auto rest = bytes.subspan(ATYS_CONTEXT_HEAD);
  rest = rest.first(std::min<size_t>(rest.size(), size));
  bool is_known = true;
  while (rest.size() >= 2) {
    const auto key = std::to_integer<size_t>(rest[0]);
    const auto length = std::to_integer<size_t>(rest[1]);
    if (rest.size() - 2 < length) break;
    if (key < process.context.keys.size())
      set(labels, process.context.keys[key], text_of(rest.subspan(2, length)));
    else
      is_known = false;
    rest = rest.subspan(2 + length);
  }
  return is_known;
}

void ThreadContexts::read_go_labels(std::span<const std::byte> bytes, Labels& labels) {
  for (; bytes.size() >= sizeof(atys_go_label); bytes = bytes.subspan(sizeof(atys_go_label))) {
    atys_go_label label{};
    std::memcpy(&label, bytes.data(), sizeof(label));
    const auto cut = [](const char* text, size_t length, size_t room) {
      const std::string whole(text, std::min(length, room));
      return length > room ? whole + "…" : whole;
    };
    set(labels, cut(label.key, label.key_length, ATYS_GO_KEY), cut(label.value, label.value_length, ATYS_GO_VALUE));
  }
}

}  // namespace atys::capture::native
