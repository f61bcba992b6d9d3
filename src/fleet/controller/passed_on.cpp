// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/passed_on.h"

#include <xxhash.h>

#include "base/byte_sink.h"
#include "fleet/window_labels.h"
#include "format/format.h"
#include "profile/import.h"

namespace atys::fleet {

using namespace profile;

namespace {

std::string id_of(const PassedOn& origin) {
  std::string text;
  for (const std::string* part :
       {&origin.controller, &origin.service, &origin.kind, &origin.version, &origin.stretch, &origin.occasion})
    text += std::to_string(part->size()) + ":" + *part;
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, XXH3_128bits(text.data(), text.size()));
  return {reinterpret_cast<const char*>(bytes.digest), sizeof bytes.digest};
}

Profile with_resource(const Profile& from, const PassedOn& origin) {
  Profile into;
  Importer importer(from, into);
  importer.copy_header();
  into.header.id = into.strings.intern(id_of(origin));
  std::vector<LabelId> resource;
  const auto say = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) resource.push_back(into.string_label(key, value, LabelScope::Resource));
  };
  say(kServiceName, origin.service);
  say(kServiceVersion, origin.version);
  say(kHostName, origin.controller);
  say(kVia, origin.controller);
  say(kStretch, origin.stretch);
  if (from.samples.size() == 0) {
    const auto own = into.label_sets[into.header.attributes];
    std::vector<LabelId> whose = resource;
    whose.insert(whose.end(), own.begin(), own.end());
    into.header.attributes = into.label_set(std::move(whose));
  }
  std::vector<int64_t> values(from.value_types().size());
  for (size_t row = 0; row < from.samples.size(); ++row) {
    std::vector<LabelId> labels = resource;
    for (const LabelId label : from.label_sets[from.samples.labels(row)]) labels.push_back(importer.label(label));
    for (size_t column = 0; column < values.size(); ++column) values[column] = from.samples.value(row, column);
    into.samples.add(importer.stack(from.samples.stack(row)), into.label_set(std::move(labels)), values,
                     from.samples.time_ns(row));
  }
  return into;
}

}  // namespace

Result<std::string> to_message(const Profile& profile, const PassedOn& origin) {
  const format::Format* otlp = format::find_format("otlp");
  CHECK(otlp != nullptr);
  StringSink sink;
  TRY(otlp->write(with_resource(profile, origin), {}, sink));
  return sink.take();
}

}  // namespace atys::fleet
