// SPDX-License-Identifier: Apache-2.0
// The labels of an instance as the bytes that a file knows it by: sorted, so that equal labels are equal bytes.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "store/embedded/byte_codec.h"
#include "store/profile_store.h"

namespace atys::store {

inline std::string encode_labels(LabelList labels) {
  std::ranges::sort(labels);
  ByteWriter writer;
  for (const auto& [key, value] : labels) {
    writer.text(key);
    writer.text(value);
  }
  return writer.bytes();
}

inline LabelList decode_labels(std::string_view bytes) {
  LabelList labels;
  ByteReader reader(bytes);
  while (reader.left() > 0) {
    const std::string_view key = reader.text();
    const std::string_view value = reader.text();
    if (reader.ok()) labels.emplace_back(key, value);
  }
  return labels;
}

}  // namespace atys::store
