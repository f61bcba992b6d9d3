// SPDX-License-Identifier: Apache-2.0
#include "reduce/label_text.h"

#include <bit>
#include <charconv>

namespace atys::reduce {

using namespace profile;

namespace {

constexpr std::string_view kNone = "(none)";

std::string double_text(double value) {
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string bare_value(const Profile& profile, const Label& label) {
  switch (label.type) {
    case LabelType::Int: return std::to_string(label.number);
    case LabelType::Bool: return label.number != 0 ? "true" : "false";
    case LabelType::Double: return double_text(std::bit_cast<double>(label.number));
    case LabelType::String:
    case LabelType::Bytes:
    case LabelType::Json: break;
  }
  return std::string(profile.text(label.text));
}

}  // namespace

std::string value_text(const Profile& profile, const Label& label) {
  std::string text = bare_value(profile, label);
  if (label.unit != kNoString) text.append(" ").append(profile.text(label.unit));
  return text;
}

std::string label_text(const Profile& profile, LabelSetId labels, std::string_view key) {
  std::string text;
  bool found = false;
  for (const LabelId id : profile.label_sets[labels]) {
    if (profile.text(profile.labels[id].key) != key) continue;
    if (found) text += ",";
    text += value_text(profile, profile.labels[id]);
    found = true;
  }
  return found ? text : std::string(kNone);
}

std::string thread_text(const Profile& profile, LabelSetId labels) {
  // Names first: OpenTelemetry's, perf's, then the numbers that come without a name.
  static constexpr std::string_view kKeys[] = {"thread.name", "thread",    "thread_name", "thread_comm",
                                               "comm",        "thread.id", "thread_id",   "tid"};
  for (const std::string_view key : kKeys) {
    std::string text = label_text(profile, labels, key);
    if (text != kNone) return text;
  }
  return std::string(kNone);
}

}  // namespace atys::reduce
