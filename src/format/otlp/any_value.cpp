// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/any_value.h"

namespace atys::format::otlp {

const AnyValue* find(const KeyValueList& list, std::string_view key) {
  for (const KeyValue& pair : list.values) {
    if (pair.key == key) return &pair.value;
  }
  return nullptr;
}

}  // namespace atys::format::otlp
