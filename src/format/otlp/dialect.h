// SPDX-License-Identifier: Apache-2.0
// Fields of the profiles signal got other numbers between versions of opentelemetry-proto under one and the same package
// name, and nothing on the wire says which version wrote a message. We write the newest numbers and read all since 1.8.
#pragma once

#include <cstdint>
#include <string_view>

namespace atys::format::otlp {

struct SampleNumbers {
  uint32_t attribute_indices, link_index, values;
};

struct ProfileNumbers {
  uint32_t comment_strindices;  // kNoField: there is none
  uint32_t profile_id;          // four more fields follow it
};

inline constexpr uint32_t kNoField = 0;

struct Dialect {
  SampleNumbers sample{2, 3, 4};        // since 1.10
  ProfileNumbers profile{kNoField, 7};  // since 1.9
};

inline constexpr SampleNumbers kOldSampleNumbers{3, 4, 2};
inline constexpr ProfileNumbers kOldProfileNumbers{7, 8};

// Looks at the wire types of all samples and profiles of a ProfilesData message, which tell in nearly every case.
Dialect detect_dialect(std::string_view bytes);

}  // namespace atys::format::otlp
