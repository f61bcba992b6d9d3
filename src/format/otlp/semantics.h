// SPDX-License-Identifier: Apache-2.0
// The attributes that mean something to us. `pprof.*`, `profile.*` and `process.*` are OpenTelemetry's conventions; `atys.*`
// is ours, for what a profile holds and OTLP has no place for.
#pragma once

#include <string>
#include <string_view>

#include "profile/label.h"

namespace atys::format::otlp {

inline constexpr std::string_view kDropFrames = "pprof.profile.drop_frames";
inline constexpr std::string_view kKeepFrames = "pprof.profile.keep_frames";
inline constexpr std::string_view kDocUrl = "pprof.profile.doc_url";
inline constexpr std::string_view kComment = "pprof.profile.comment";         // array of strings
inline constexpr std::string_view kCommentPrefix = "pprof.profile.comment.";  // one string each, as some converters write
inline constexpr std::string_view kSampleTypeOrder = "pprof.scope.sample_type_order";
inline constexpr std::string_view kDefaultSampleType = "pprof.scope.default_sample_type";
inline constexpr std::string_view kHasFunctions = "pprof.mapping.has_functions";
inline constexpr std::string_view kHasFilenames = "pprof.mapping.has_filenames";
inline constexpr std::string_view kHasLineNumbers = "pprof.mapping.has_line_numbers";
inline constexpr std::string_view kHasInlineFrames = "pprof.mapping.has_inline_frames";
inline constexpr std::string_view kIsFolded = "pprof.location.is_folded";
inline constexpr std::string_view kFrameType = "profile.frame.type";
inline constexpr std::string_view kGnuBuildId = "process.executable.build_id.gnu";

inline constexpr std::string_view kLoss = "atys.loss";              // array of {reason, count}
inline constexpr std::string_view kProvenance = "atys.provenance";  // array of {key, value}
inline constexpr std::string_view kOverhead = "atys.overhead";      // {cpu_ns, bytes}
inline constexpr std::string_view kHeader = "atys.header";          // see profile_fields.h
// Attributes of the whole profile, where those of the OTLP profiles belong to their samples.
inline constexpr std::string_view kHeaderAttributes = "atys.header_attributes";
// True where time and duration were widened to cover the timestamps, which OTLP asks for.
inline constexpr std::string_view kWidened = "atys.widened";
// The only key of a list that holds several labels of one key, or a label that no plain value can stand for.
inline constexpr std::string_view kMulti = "atys.multi";
// Put in front of a label's key that would mean something else as an attribute.
inline constexpr std::string_view kEscape = "atys.escaped.";

// Labels that stand for fields of OTLP's messages.
inline constexpr std::string_view kScopeName = "otel.scope.name";
inline constexpr std::string_view kScopeVersion = "otel.scope.version";
inline constexpr std::string_view kScopeSchemaUrl = "otel.scope.schema_url";
inline constexpr std::string_view kResourceSchemaUrl = "otel.resource.schema_url";
inline constexpr std::string_view kTraceId = "trace_id";
inline constexpr std::string_view kSpanId = "span_id";
inline constexpr std::string_view kPayloadFormat = "otlp.profile.original_payload_format";
inline constexpr std::string_view kPayload = "otlp.profile.original_payload";

inline constexpr std::string_view kDroppedAttributes = "dropped-attributes";  // a loss

// Where a list of attributes hangs.
enum class AttributeList { Resource, Scope, Profile, Sample, Location, Mapping };

constexpr profile::LabelScope scope_of(AttributeList list) {
  switch (list) {
    case AttributeList::Resource: return profile::LabelScope::Resource;
    case AttributeList::Scope: return profile::LabelScope::Instrumentation;
    case AttributeList::Profile: return profile::LabelScope::Profile;
    default: return profile::LabelScope::Sample;
  }
}

// Whether an attribute of this key is more than a label.
bool is_reserved(AttributeList list, std::string_view key);
std::string escape_key(AttributeList list, std::string_view key);
std::string_view unescape_key(std::string_view key);

}  // namespace atys::format::otlp
