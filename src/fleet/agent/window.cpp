// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "adapt/stretch.h"
#include "base/byte_sink.h"
#include "fleet/window_labels.h"
#include "format/format.h"
#include "profile/import.h"

namespace atys::fleet {

using namespace profile;

namespace {

// Of one thread, process or request: they would keep rows apart that belong together.
constexpr std::array<std::string_view, 5> kNarrow{"thread.id", "thread.name", "process.pid", "trace_id", "span_id"};

constexpr int64_t kNsPerMs = 1'000'000;

class Relabelled {
 public:
  Relabelled(const Profile& recorded, const WindowOrigin& origin, const std::function<Instance(pid_t)>& instance_of)
      : from_(recorded), importer_(recorded, into_), origin_(origin), instance_of_(instance_of) {}

  Profile make(std::span<const pid_t> processes) {
    importer_.copy_header();
    for (size_t row = 0; row < from_.samples.size(); ++row) add(row);
    if (from_.samples.size() == 0) say_whose(processes);
    return std::move(into_);
  }

 private:
  using Attributes = std::vector<std::pair<std::string, std::string>>;

  // Where there are no rows to say it.
  void say_whose(std::span<const pid_t> processes) {
    std::vector<LabelId> labels = resource_of(0, origin_.stretch);
    for (const auto& [key, value] : common_to(processes))
      labels.push_back(into_.string_label(key, value, LabelScope::Resource));
    const auto own = into_.label_sets[into_.header.attributes];
    labels.insert(labels.end(), own.begin(), own.end());
    into_.header.attributes = into_.label_set(std::move(labels));
  }

  Attributes common_to(std::span<const pid_t> processes) const {
    if (processes.empty()) return {};
    Attributes common = instance_of_(processes.front()).labels();
    for (const pid_t pid : processes.subspan(1)) {
      const Attributes own = instance_of_(pid).labels();
      std::erase_if(common, [&](const auto& one) { return std::find(own.begin(), own.end(), one) == own.end(); });
    }
    return common;
  }

  void add(size_t row) {
    const StackId stack = importer_.stack(from_.samples.stack(row));
    const LabelSetId labels = labels_of(from_.samples.labels(row), stretch_of(row));
    const size_t columns = from_.samples.value_columns();
    const auto [found, is_new] = rows_.try_emplace({raw(stack), raw(labels)}, into_.samples.size());
    if (is_new) {
      const std::vector<int64_t> nothing(columns);
      into_.samples.add(stack, labels, nothing);
    }
    for (size_t column = 0; column < columns; ++column)
      into_.samples.add_value(found->second, column, from_.samples.value(row, column));
  }

  uint64_t stretch_of(size_t row) const {
    const int64_t time_ns = from_.samples.time_ns(row);
    if (!origin_.cut || time_ns == 0) return origin_.stretch;
    if (time_ns < origin_.cut->from_ns) return with_role(origin_.stretch, adapt::Role::Before);
    return with_role(origin_.stretch, time_ns < origin_.cut->to_ns ? adapt::Role::Mixed : adapt::Role::After);
  }

  LabelSetId labels_of(LabelSetId recorded, uint64_t stretch) {
    const auto [found, is_new] = label_sets_.try_emplace({raw(recorded), stretch});
    if (!is_new) return found->second;
    std::vector<LabelId> kept;
    pid_t pid = 0;
    for (const LabelId label : from_.label_sets[recorded]) {
      const std::string_view key = from_.text(from_.labels[label].key);
      if (key == "process.pid") pid = static_cast<pid_t>(from_.labels[label].number);
      if (std::find(kNarrow.begin(), kNarrow.end(), key) == kNarrow.end()) kept.push_back(importer_.label(label));
    }
    const std::vector<LabelId>& resource = resource_of(pid, stretch);
    kept.insert(kept.end(), resource.begin(), resource.end());
    return found->second = into_.label_set(std::move(kept));
  }

  const std::vector<LabelId>& resource_of(pid_t pid, uint64_t stretch) {
    const auto [found, is_new] = resources_.try_emplace({pid, stretch});
    if (!is_new) return found->second;
    const auto say = [&](std::string_view key, const std::string& value) {
      found->second.push_back(into_.string_label(key, value, LabelScope::Resource));
    };
    say(kServiceName, origin_.service);
    say(kHostName, origin_.node);
    say(kTaskName, origin_.task);
    say(kSender, origin_.sender);
    found->second.push_back(into_.int_label(kSequence, static_cast<int64_t>(origin_.sequence), {}, LabelScope::Resource));
    if (origin_.began_ns)
      say(kStretch, fmt::format("{}{}{}", stretch, kBeganMark, *origin_.began_ns / kNsPerMs));
    else
      found->second.push_back(into_.int_label(kStretch, static_cast<int64_t>(stretch), {}, LabelScope::Resource));
    if (pid != 0)
      for (const auto& [key, value] : instance_of_(pid).labels()) say(key, value);
    return found->second;
  }

  const Profile& from_;
  Profile into_;
  Importer importer_;
  const WindowOrigin& origin_;
  const std::function<Instance(pid_t)>& instance_of_;
  std::map<std::pair<uint32_t, uint32_t>, size_t> rows_;
  std::map<std::pair<uint32_t, uint64_t>, LabelSetId> label_sets_;
  std::map<std::pair<pid_t, uint64_t>, std::vector<LabelId>> resources_;
};

}  // namespace

Profile outgoing_window(const Profile& recorded, const WindowOrigin& origin,
                        const std::function<Instance(pid_t)>& instance_of, std::span<const pid_t> processes) {
  return Relabelled(recorded, origin, instance_of).make(processes);
}

Result<std::string> to_otlp(const Profile& window) {
  const format::Format* otlp = format::find_format("otlp");
  CHECK(otlp != nullptr);
  StringSink sink;
  TRY(otlp->write(window, {}, sink));
  return sink.take();
}

}  // namespace atys::fleet
