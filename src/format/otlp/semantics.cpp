// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/semantics.h"

namespace atys::format::otlp {

bool is_reserved(AttributeList list, std::string_view key) {
  switch (list) {
    case AttributeList::Profile:
      return key == kDropFrames || key == kKeepFrames || key == kDocUrl || key == kComment ||
             key.starts_with(kCommentPrefix) || key == kLoss || key == kProvenance || key == kOverhead || key == kHeader ||
             key == kHeaderAttributes || key == kWidened;
    case AttributeList::Scope: return key == kSampleTypeOrder || key == kDefaultSampleType;
    case AttributeList::Location: return key == kIsFolded || key == kFrameType;
    case AttributeList::Mapping:
      return key == kGnuBuildId || key == kHasFunctions || key == kHasFilenames || key == kHasLineNumbers ||
             key == kHasInlineFrames;
    default: return false;
  }
}

std::string escape_key(AttributeList list, std::string_view key) {
  const bool must_escape = is_reserved(list, key) || key.starts_with(kEscape);
  return must_escape ? std::string(kEscape) + std::string(key) : std::string(key);
}

std::string_view unescape_key(std::string_view key) { return key.starts_with(kEscape) ? key.substr(kEscape.size()) : key; }

}  // namespace atys::format::otlp
