// SPDX-License-Identifier: Apache-2.0
// Adds up what windows say besides their samples, as reduce::merge does, in bounded memory: a service has thousands of
// windows an hour, and some facts (what the recording cost) differ in each. Of the values of one fact the smallest are kept,
// and a fact `left-out` names those of which there were more: still associative and commutative, whatever the order of
// windows.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "store/embedded/block.h"

namespace atys::store {

// Facts and comments of any number of windows. By text, so that those of several dictionaries add up.
class FactSum {
 public:
  static constexpr size_t kMaxValues = 32;  // texts, and as many numbers, of one key
  static constexpr size_t kMaxKeys = 256;
  static constexpr size_t kMaxComments = 64;

  void add_text(std::string_view key, std::string_view value);
  void add_number(std::string_view key, int64_t value);
  void add_comment(std::string_view comment);
  void add(const FactSum& other);
  void finish_into(Profile& profile) const;

 private:
  struct Values {
    std::set<std::string, std::less<>> texts;
    std::set<int64_t> numbers;
    bool has_more = false;
  };
  Values* values_of(std::string_view key);

  std::map<std::string, Values, std::less<>> keys_;
  bool has_more_keys_ = false;
  std::set<std::string, std::less<>> comments_;
  bool has_more_comments_ = false;
};

// The rest of the headers, in ids of one dictionary.
class HeaderSum {
 public:
  static constexpr size_t kMaxAttributes = 256;

  void add(const Block& block, const BlockWindow& window);
  // A profile without samples and without facts; these go to `facts`.
  Profile finish(const Profile& dictionary, FactSum& facts) const;

 private:
  void finish_attributes(const Profile& dictionary, Profile& into, FactSum& facts) const;

  int64_t time_ns_ = 0;
  uint64_t duration_ns_ = 0;
  uint64_t cpu_ns_ = 0, bytes_ = 0;
  std::string id_;
  std::map<profile::StringId, uint64_t> losses_;
  std::set<Texts> texts_;  // without facts; as many as differ
  std::set<std::pair<profile::StringId, profile::StringId>> facts_;
  std::map<profile::StringId, std::pair<std::set<int64_t>, bool>> numbers_;  // the smallest, and whether there were more
};

}  // namespace atys::store
