// SPDX-License-Identifier: Apache-2.0
// Windows as agents and others send them, from readable text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/byte_sink.h"
#include "format/format.h"
#include "profile/import.h"
#include "support/profile_text.h"

namespace atys::test {

struct SentWindow {
  std::string stacks;                             // "main;f 3\n", values of `type`
  std::map<std::string, std::string> attributes;  // of the resource
  int64_t start_ns = 0;
  int64_t duration_ns = 10'000'000'000;
  std::string id = {};  // 16 bytes, or none
  std::string type = "cpu";
  std::string unit = "nanoseconds";
  int64_t period_ns = 0;  // not 0: a column "samples" is there too, a sample for every period
};

inline Profile labelled_profile(const SentWindow& window) {
  const Profile plain = profile_from_text(window.stacks, window.type, window.unit);
  Profile sent;
  const size_t count = window.period_ns > 0 ? sent.add_value_type("samples", "count") : 0;
  const size_t weight = sent.add_value_type(window.type, window.unit);
  sent.header.default_value_type = sent.strings.intern(window.type);
  sent.header.time_ns = window.start_ns;
  sent.header.duration_ns = window.duration_ns;
  sent.header.period = window.period_ns;
  if (window.period_ns > 0) sent.header.period_type = {sent.strings.intern(window.type), sent.strings.intern(window.unit)};
  if (!window.id.empty()) sent.header.id = sent.strings.intern(window.id);
  std::vector<profile::LabelId> resource;
  for (const auto& [key, value] : window.attributes)
    resource.push_back(sent.string_label(key, value, profile::LabelScope::Resource));
  if (plain.samples.size() == 0) sent.header.attributes = sent.label_set(resource);
  profile::Importer importer(plain, sent);
  for (size_t row = 0; row < plain.samples.size(); ++row) {
    std::vector<int64_t> values(sent.value_types().size());
    values[weight] = plain.samples.value(row, 0);
    if (window.period_ns > 0) values[count] = values[weight] / window.period_ns;
    sent.samples.add(importer.stack(plain.samples.stack(row)), sent.label_set(resource), values);
  }
  return sent;
}

inline std::string otlp_bytes(const Profile& profile, const char* format = "otlp") {
  StringSink sink;
  CHECK(format::find_format(format)->write(profile, {}, sink).ok());
  return sink.take();
}

inline std::string otlp_bytes(const SentWindow& window) { return otlp_bytes(labelled_profile(window)); }

}  // namespace atys::test
