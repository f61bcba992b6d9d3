// SPDX-License-Identifier: Apache-2.0
// Messages that follow each other and say nearly the same: the dictionary of each holds the entries of those before it, in
// the same places, and then its own new ones. Each is whole and valid by itself, and for the greatest part the same bytes as
// the one before, which a compressor that has that one can leave out. Without it places shift, and whatever refers to one is
// new each time.
//
// An entry that no message had for a while makes room for a new one in its place, or for an empty one until there is one: a
// message is bounded by what is in use.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "format/otlp/message.h"

namespace atys::format::otlp {

struct SteadyPlan {
  uint32_t keep_messages = 30;          // an entry that none of so many last messages had is not in use
  size_t most_bytes = size_t{4} << 20;  // of tables; above it they begin anew
};

class SteadyTables {
 public:
  explicit SteadyTables(SteadyPlan plan = {}) : plan_(plan) {}
  SteadyTables(SteadyTables&&) = default;

  // The same message, with these tables. Samples are sorted, by value and then by place; OTLP leaves their order open. Fails
  // where an index lies outside of its table, and for what only the oldest form of OTLP has.
  Result<std::string> write(message::ProfilesData data);

  size_t table_bytes() const;
  size_t memory_bytes() const;

 private:
  // As numbered in a dictionary; 0 is not used.
  enum Table : uint32_t { Mappings = 1, Locations, Functions, Links, Strings, Attributes, Stacks, kEnd };
  // Entry 0 is the empty one that every table begins with.
  struct Entries {
    std::unordered_map<std::string, uint32_t> places;    // by the entry as it is in the message, tag and length in front
    std::vector<const std::string*> fields = {nullptr};  // by place, in `places`; null: empty
    std::vector<uint32_t> last_used = {0};               // by place: in which message
    std::vector<uint32_t> free;                          // the last first
    size_t bytes = 0;
  };
  // From places in the dictionary of a message to places here.
  using Places = std::array<std::vector<int32_t>, kEnd>;

  int32_t add(Table table, std::string_view entry);
  template <typename Entry, typename Translate>
  void add_table(Table table, std::vector<Entry>& entries, Places& places, const Translate& translate);
  Places add_all(message::Dictionary dictionary);
  static void translate(message::Profile& profile, const Places& to);
  void make_room();
  void free_unused(Entries& entries) const;
  std::string encode_dictionary() const;

  SteadyPlan plan_;
  uint32_t messages_ = 0;
  std::array<Entries, kEnd> tables_;
};

}  // namespace atys::format::otlp
