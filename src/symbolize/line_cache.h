// SPDX-License-Identifier: Apache-2.0
// Places of one binary that were resolved already, so that reading its debug information again, which costs more than
// everything else about a short recording, is not needed for them. Bytes in, bytes out.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "symbolize/module.h"

namespace atys::symbolize {

class LineCache {
 public:
  // Takes nothing on trust: what is damaged is left out.
  void load(std::span<const std::byte> bytes);
  Bytes save() const;

  const std::vector<SourceFrame>* find(uint64_t address) const;
  void add(uint64_t address, std::vector<SourceFrame> frames);  // beyond a bound nothing is added
  bool has_news() const { return has_news_; }
  size_t size() const { return places_.size(); }

 private:
  std::unordered_map<uint64_t, std::vector<SourceFrame>> places_;
  bool has_news_ = false;
};

}  // namespace atys::symbolize
