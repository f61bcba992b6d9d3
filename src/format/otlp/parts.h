// SPDX-License-Identifier: Apache-2.0
// Takes a message apart: what is of one resource, measures one thing and began at one time becomes a message of its own,
// with as much of the dictionary as it uses. A receiver keeps such parts; how they were put together on their way (a
// Collector batches) then makes no difference to what they are: entries are numbered by first use.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/otlp/message.h"

namespace atys::format::otlp {

struct Part {
  std::vector<KeyValue> attributes;  // of the resource, references resolved; `data` has none
  std::string kind;                  // what `kind_of` said
  std::vector<std::string> ids;      // profile ids in it, those that are valid
  size_t profiles = 0;               // how many of the message's it is made of
  message::ProfilesData data;
};

// What a profile measures, from the names of its types. Empty: that is told by others of the same rows.
using KindOf = std::function<std::string(std::string_view type, std::string_view unit, std::string_view period_type)>;

// Refuses the whole message if any index in it is out of range, or if it refers to its dictionary so often that the parts
// together would be out of all proportion.
Result<std::vector<Part>> take_apart(message::ProfilesData data, const KindOf& kind_of);

// How many things a message holds (profiles, samples, entries of tables), which is what decoding it costs; quick. Bytes that
// are no message hold what can be read of them.
size_t count_entries(std::string_view bytes);

}  // namespace atys::format::otlp
