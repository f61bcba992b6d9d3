// SPDX-License-Identifier: Apache-2.0
// The labels of an instance as the bytes that a file knows it by: sorted, so that equal labels are equal bytes. The stretch
// of a window stands among them, under a name of its own, "-" where an earlier version wrote that there is none.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "store/byte_codec.h"
#include "store/profile_store.h"

namespace atys::store {

inline constexpr std::string_view kStretchLabel = "atys.stretch";

struct SeriesLabels {
  LabelList labels;
  Stretch stretch;
};

inline std::string encode_labels(const LabelList& given, const Stretch& stretch) {
  LabelList labels;
  for (const auto& label : given)
    if (label.first != kStretchLabel) labels.push_back(label);
  if (!stretch.is_none()) labels.emplace_back(kStretchLabel, to_text(stretch));
  std::ranges::sort(labels);
  ByteWriter writer;
  for (const auto& [key, value] : labels) {
    writer.text(key);
    writer.text(value);
  }
  return writer.bytes();
}

inline SeriesLabels decode_labels(std::string_view bytes) {
  SeriesLabels decoded;
  ByteReader reader(bytes);
  while (reader.left() > 0) {
    const std::string_view key = reader.text();
    const std::string_view value = reader.text();
    if (!reader.ok()) continue;
    if (key == kStretchLabel)
      decoded.stretch = parse_stretch(value).value_or(Stretch{});
    else
      decoded.labels.emplace_back(key, value);
  }
  return decoded;
}

}  // namespace atys::store
