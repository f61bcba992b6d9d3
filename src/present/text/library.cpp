// SPDX-License-Identifier: Apache-2.0
// list, show, remove
#include <fmt/format.h>

#include "base/utc_time.h"
#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

std::string render(const verbs::ListAnswer& answer) {
  if (answer.rows.empty())
    return "no profiles in " + one_line(answer.home) + "; atys merge and atys convert without -o put them there\n";
  Table table({{"id", Align::Left},
               {"kept", Align::Left, 3},
               {"size", Align::Right, 5},
               {"kind", Align::Left, 2},
               {"total", Align::Right, 1},
               {"samples", Align::Right, 4},
               {"target", Align::Left}});
  for (const verbs::ListRow& row : answer.rows) {
    const std::string target =
        row.error.empty() ? (row.profile.targets.empty() ? "" : name(row.profile.targets.front(), 60)) : name(row.error);
    table.add({row.entry.id.substr(0, 12), time_text(row.entry.modified_ns),
               quantity(static_cast<double>(row.entry.bytes), "bytes"), name(row.profile.kind, 30),
               quantity(row.profile.total, row.profile.unit),
               row.profile.is_count_known ? quantity(row.profile.samples, "count") : std::string(kUnknown), target});
  }
  return table.render();
}

std::string render(const verbs::RemoveAnswer& answer) {
  std::string text;
  for (const std::string& id : answer.removed) text += "removed " + id + "\n";
  return text;
}

namespace {

std::string mapping_line(const verbs::ShownMapping& mapping) {
  std::string text = fmt::format("mapping       {:#x}..{:#x} {}", mapping.start, mapping.limit, name(mapping.filename));
  if (!mapping.build_id.empty()) text += " " + name(mapping.build_id, 50);
  return text + "\n";
}

std::string label_line(const verbs::ShownLabel& label) {
  std::string text = fmt::format("label         {} ({} values):", name(label.key, 60), label.values);
  for (const std::string& example : label.examples) text += " " + name(example, 40);
  return text + (label.values > label.examples.size() ? " …\n" : "\n");
}

}  // namespace

std::string render(const verbs::ShowAnswer& answer) {
  std::string text = heading(answer.profile);
  if (!answer.profile.id.empty()) text += "id            " + answer.profile.id + "\n";
  for (size_t i = 0; i < answer.value_types.size(); ++i) {
    text += fmt::format("value         {} {:.0f}{}\n", name(answer.value_types[i].first, 60), answer.value_types[i].second,
                        i == answer.default_value ? " (default)" : "");
  }
  if (answer.time_ns != 0) text += "started       " + time_text(answer.time_ns) + "\n";
  if (answer.profile.duration_ns != 0) text += "lasted        " + duration(answer.profile.duration_ns) + "\n";
  if (!answer.period.empty()) text += "period        " + name(answer.period) + "\n";
  text += fmt::format("tables        {} rows, {} stacks, {} frames, {} functions, {} strings\n", answer.rows, answer.stacks,
                      answer.frames, answer.functions, answer.strings);
  text += fmt::format("memory        {} bytes", answer.memory_bytes);
  if (answer.rows > 0) text += fmt::format(", {} a row", answer.memory_bytes / answer.rows);
  text += "\n";
  for (const auto& mapping : answer.mappings) text += mapping_line(mapping);
  for (const auto& label : answer.labels) text += label_line(label);
  for (const auto& [key, value] : answer.provenance) text += fmt::format("{:<13} {}\n", name(key, 40), name(value));
  for (const auto& comment : answer.comments) text += "comment       " + name(comment) + "\n";
  return text;
}

}  // namespace atys::present::text
