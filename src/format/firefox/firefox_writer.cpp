// SPDX-License-Identifier: Apache-2.0
#include "format/firefox/firefox_writer.h"

#include "base/json.h"
#include "format/firefox/categories.h"
#include "format/firefox/code_tables.h"
#include "format/firefox/thread_table.h"

namespace atys::format::firefox {

using namespace profile;

namespace {

// Version 70 is the first that says per frame which file an address is relative to. The viewer upgrades from any version.
constexpr int kProcessedVersion = 70;
constexpr int kGeckoVersion = 36;  // of the raw format that Firefox itself would have sent; not looked at

void write_categories(JsonWriter& json) {
  json.key("categories").begin_array();
  for (const Category& category : kCategories) {
    json.begin_object().field("name", category.name).field("color", category.colour);
    json.key("subcategories").begin_array().value("Other").end_array().end_object();
  }
  json.end_array();
}

void write_extra_entry(JsonWriter& json, std::string_view label, std::string_view value) {
  json.begin_object().field("label", label).field("format", "string").field("value", value).end_object();
}

// What the viewer has no place of its own for, shown under "more info".
void write_extra(JsonWriter& json, const Profile& profile) {
  if (profile.losses.empty() && profile.provenance.empty() && profile.header.comments.empty()) return;
  json.key("extra").begin_array().begin_object().field("label", "Recording").key("entries").begin_array();
  for (const Fact& fact : profile.provenance) write_extra_entry(json, profile.text(fact.key), profile.text(fact.value));
  for (const StringId comment : profile.header.comments) write_extra_entry(json, "comment", profile.text(comment));
  for (const Loss& loss : profile.losses) {
    write_extra_entry(json, "lost: " + std::string(profile.text(loss.reason)), std::to_string(loss.count));
  }
  json.end_array().end_object().end_array();
}

void write_meta(JsonWriter& json, const Profile& profile, const WriteOptions& options, const SampleClock& clock,
                bool is_resolved) {
  json.key("meta").begin_object();
  json.field("interval", clock.interval_ms);
  json.field("startTime", static_cast<double>(clock.start_ns) / 1e6);
  if (clock.end_ms > 0) json.field("profilingStartTime", 0).field("profilingEndTime", clock.end_ms);
  json.field("preprocessedProfileVersion", kProcessedVersion).field("version", kGeckoVersion);
  json.field("processType", 0).field("stackwalk", 1).field("debug", false);
  json.field("product", options.title.empty() ? "Atys" : options.title).field("importedFrom", "Atys");
  json.field("symbolicated", is_resolved);
  json.field("usesOnlyOneStackType", true).field("sourceCodeIsNotOnSearchfox", true);
  json.key("markerSchema").begin_array().end_array();
  json.key("sampleUnits").begin_object();
  json.field("time", "ms").field("eventDelay", "ms").field("threadCPUDelta", "ns").end_object();
  write_categories(json);
  write_extra(json, profile);
  json.end_object();
}

}  // namespace

std::string write_firefox(const Profile& profile, const WriteOptions& options) {
  const size_t column = options.value_column.value_or(profile.default_value_column());
  const SampleClock clock = sample_clock(profile);
  CodeTables code(profile);
  JsonWriter json;
  json.begin_object();
  write_threads(json, profile, column, clock, code);  // asks `code` for stacks, so comes before the tables
  write_meta(json, profile, options, clock, !code.has_unresolved_frames());
  code.write_libs(json);
  code.write_shared(json);
  json.key("pages").begin_array().end_array();
  json.key("counters").begin_array().end_array();
  json.end_object();
  return json.take();
}

}  // namespace atys::format::firefox
