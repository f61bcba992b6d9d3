// SPDX-License-Identifier: Apache-2.0
// What a loss takes away. Of some of what was lost the samples are there: their stacks were cut, or their labels are
// missing. The rest is not in the profile at all. One table has every reason that we count by; a reason of others' is a loss
// in full.
#pragma once

#include <cstdint>
#include <string_view>

namespace atys::profile {

enum class LossOf : uint8_t {
  Samples,  // they are not there
  Stacks,   // the samples are, their stacks are cut, replaced, or not there
  Details,  // samples and stacks are; labels, names, exact values are not
};

LossOf what_is_lost(std::string_view reason);

// Whether samples that are counted as lost for this reason are in the profile nevertheless.
inline bool is_in_samples(std::string_view reason) { return what_is_lost(reason) != LossOf::Samples; }

// Whether the text is one of the table's, word for word: then it is ours, and not data of whoever wrote the profile.
bool is_known_reason(std::string_view reason);

// Every reason that begins so is of one kind: a recorder goes on with why.
inline constexpr std::string_view kStacksCut = "stacks cut";

}  // namespace atys::profile
