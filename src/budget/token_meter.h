// SPDX-License-Identifier: Apache-2.0
// How many tokens of a language model a text takes, at most. Every model counts differently and few say how, so this is a
// bound, not a count: a sum of costs of what the text is made of, fitted so that it is not below any of eleven tokenizers on
// any of some 90,000 names, words and random strings, and as low as that allows on the answers that we print
// (docs/decisions/0013 has the method; tests/interop/tokens_peer.mjs holds it).
#pragma once

#include <cstddef>
#include <string_view>

namespace atys::budget {

// Any bytes. Linear in the length.
size_t count_upper_bound(std::string_view text);

}  // namespace atys::budget
