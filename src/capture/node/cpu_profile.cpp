// SPDX-License-Identifier: Apache-2.0
#include "capture/node/cpu_profile.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "capture/node/inspector_client.h"
#include "capture/node/v8_names.h"

namespace atys::capture::node {

using namespace profile;

namespace {

constexpr size_t kMostNodes = 1'000'000;
constexpr size_t kDeepest = 1024;           // V8 stops at 255
constexpr size_t kMostFrames = 16'000'000;  // of all stacks together
constexpr size_t kMostLines = 10'000;
constexpr uint32_t kNoNode = UINT32_MAX;
constexpr int64_t kNsPerUs = 1000;
constexpr std::string_view kRoot = "(root)";
constexpr std::string_view kIdle = "(idle)";

struct LineTicks {
  int64_t line = 0;
  int64_t ticks = 0;
};

struct Node {
  uint32_t parent = kNoNode;
  bool is_root = false;
  bool is_idle = false;
  FunctionId function{};
  StringId kind{};
  std::vector<LineTicks> ticks;
  int64_t samples = 0;
  int64_t weight_ns = 0;
};

class Reader {
 public:
  Reader(const KindRow& kind, const V8Thread& thread, Profile& profile) : kind_(kind), thread_(thread), profile_(profile) {}

  Result<> read(const Json& cpu_profile) {
    TRY(read_nodes(member(cpu_profile, "nodes")));
    TRY(link_children(member(cpu_profile, "nodes")));
    TRY(count_samples(cpu_profile));
    for (const Node& node : nodes_)
      if (node.samples > 0 && !(node.is_idle && !kind_.waits)) TRY(add_node(node));
    return {};
  }

 private:
  Result<> read_nodes(const Json& nodes);
  Node read_node(const Json& json);
  Result<> link_children(const Json& nodes);
  Result<> count_samples(const Json& cpu_profile);
  Result<> add_node(const Node& node);
  FrameId frame_of(const Node& node, int64_t line);
  LabelSetId labels_of(const Node& node);

  const KindRow& kind_;
  const V8Thread& thread_;
  Profile& profile_;
  std::vector<Node> nodes_;
  std::unordered_map<int64_t, uint32_t> by_id_;
  size_t frames_ = 0;
};

std::string_view kind_of(std::string_view url) {
  if (url.empty()) return "native";  // the engine itself, or a function bound to C++
  return url.starts_with("wasm://") ? "wasm" : kJavaScriptKind;
}

Node Reader::read_node(const Json& json) {
  const Json& place = member(json, "callFrame");
  const std::string name = text_member(place, "functionName");
  const std::string url = text_member(place, "url");
  Node node{.is_root = name == kRoot && url.empty(), .is_idle = name == kIdle && url.empty()};
  const int64_t first_line = url.empty() ? -1 : std::clamp<int64_t>(number_member(place, "lineNumber"), -1, INT32_MAX);
  node.function = profile_.functions.intern({.name = profile_.strings.intern(name.empty() ? "(anonymous)" : name),
                                             .filename = profile_.strings.intern(path_of_url(url)),
                                             .start_line = first_line + 1});
  node.kind = profile_.strings.intern(kind_of(url));
  node.samples = std::max<int64_t>(0, number_member(json, "hitCount"));
  for (const Json& tick : member(json, "positionTicks")) {
    const LineTicks one{number_member(tick, "line"), number_member(tick, "ticks")};
    if (one.line > 0 && one.ticks > 0 && one.ticks <= INT32_MAX && node.ticks.size() < kMostLines) node.ticks.push_back(one);
  }
  return node;
}

Result<> Reader::read_nodes(const Json& nodes) {
  if (!nodes.is_array() || nodes.empty()) return fail(ErrorCode::InvalidInput, "V8's profile has no nodes");
  if (nodes.size() > kMostNodes) return fail(ErrorCode::ResourceExhausted, "V8's profile has more nodes than we take");
  for (const Json& json : nodes) {
    if (!by_id_.emplace(number_member(json, "id"), nodes_.size()).second)
      return fail(ErrorCode::InvalidInput, "two nodes of V8's profile have the same id");
    nodes_.push_back(read_node(json));
  }
  return {};
}

Result<> Reader::link_children(const Json& nodes) {
  uint32_t index = 0;
  for (const Json& json : nodes) {
    for (const Json& id : member(json, "children")) {
      const auto child = id.is_number_integer() ? by_id_.find(id.get<int64_t>()) : by_id_.end();
      if (child == by_id_.end() || nodes_[child->second].parent != kNoNode)
        return fail(ErrorCode::InvalidInput, "the nodes of V8's profile are no tree");
      nodes_[child->second].parent = index;
    }
    ++index;
  }
  return {};
}

// A sample stands for the time since the one before it. On a busy machine V8's sampler comes late: counting samples alone
// would then make too little of what keeps the machine busy.
Result<> Reader::count_samples(const Json& cpu_profile) {
  const Json& samples = member(cpu_profile, "samples");
  const Json& deltas = member(cpu_profile, "timeDeltas");
  if (!samples.is_array() || !deltas.is_array() || samples.size() != deltas.size())
    return fail(ErrorCode::InvalidInput, "V8's profile has no times for its samples");
  int64_t left_us = 0;  // no more time can have been spent than has passed
  if (__builtin_sub_overflow(number_member(cpu_profile, "endTime"), number_member(cpu_profile, "startTime"), &left_us))
    left_us = 0;
  left_us = std::clamp<int64_t>(left_us, 0, INT64_MAX / kNsPerUs);
  for (Node& node : nodes_) node.samples = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto found = samples[i].is_number_integer() ? by_id_.find(samples[i].get<int64_t>()) : by_id_.end();
    if (found == by_id_.end()) return fail(ErrorCode::InvalidInput, "a sample of V8's profile has no node");
    // Deltas may be negative where samples were taken out of order.
    const int64_t delta_us = deltas[i].is_number_integer() ? std::clamp<int64_t>(deltas[i].get<int64_t>(), 0, left_us) : 0;
    left_us -= delta_us;
    Node& node = nodes_[found->second];
    ++node.samples;
    node.weight_ns += delta_us * kNsPerUs;
  }
  return {};
}

FrameId Reader::frame_of(const Node& node, int64_t line) {
  const Line only{.line = line, .function = node.function};
  return profile_.frames.intern({.lines = profile_.lines.intern({&only, 1}), .kind = node.kind});
}

LabelSetId Reader::labels_of(const Node& node) {
  std::vector<LabelId> labels;
  if (!thread_.name.empty()) labels.push_back(profile_.string_label("thread.name", thread_.name));
  labels.push_back(profile_.int_label("thread.id", thread_.tid));
  labels.push_back(profile_.int_label("process.pid", thread_.pid));
  if (node.is_idle) labels.push_back(profile_.string_label("state", "idle"));
  return profile_.label_set(std::move(labels));
}

// V8 says how often each line of a node was met, not which sample met it: the node's samples are dealt out in proportion.
Result<> Reader::add_node(const Node& node) {
  std::vector<FrameId> stack{FrameId{0}};
  for (uint32_t at = node.parent; at != kNoNode; at = nodes_[at].parent) {
    if (stack.size() > kDeepest) return fail(ErrorCode::InvalidInput, "the nodes of V8's profile are no tree");
    if (!nodes_[at].is_root) stack.push_back(frame_of(nodes_[at], 0));
  }
  frames_ += stack.size() * std::max<size_t>(1, node.ticks.size());
  if (frames_ > kMostFrames) return fail(ErrorCode::ResourceExhausted, "V8's profile has more frames than we take");
  const LabelSetId labels = labels_of(node);
  std::vector<LineTicks> ticks = node.ticks;
  if (ticks.empty()) ticks.push_back({.line = 0, .ticks = 1});
  int64_t all = 0;
  for (const LineTicks& one : ticks) all += one.ticks;
  int64_t met = 0;
  int64_t samples_so_far = 0;
  int64_t weight_so_far = 0;
  const auto part = [&](int64_t whole) {
    return met == all ? whole : static_cast<int64_t>(static_cast<long double>(whole) * met / all);
  };
  for (const LineTicks& one : ticks) {
    met += one.ticks;
    const std::array<int64_t, 2> values{part(node.samples) - samples_so_far, part(node.weight_ns) - weight_so_far};
    samples_so_far += values[0];
    weight_so_far += values[1];
    stack.front() = frame_of(node, one.line);
    if (values[0] > 0 || values[1] > 0) profile_.samples.add(profile_.stacks.intern(stack), labels, values);
  }
  return {};
}

}  // namespace

Profile new_profile(const KindRow& kind) {
  Profile profile;
  profile.add_value_type(kind.columns.count, "count");
  profile.add_value_type(kind.columns.weight, kind.columns.unit);
  profile.header.default_value_type = profile.strings.intern(kind.columns.weight);
  return profile;
}

Result<> add_cpu_profile(const Json& cpu_profile, const KindRow& kind, const V8Thread& thread, Profile& profile) {
  return Reader(kind, thread, profile).read(cpu_profile);
}

}  // namespace atys::capture::node
