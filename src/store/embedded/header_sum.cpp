// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/header_sum.h"

#include <algorithm>
#include <tuple>

#include "profile/import.h"
#include "reduce/merge.h"

namespace atys::store {

using namespace profile;

namespace {

constexpr std::string_view kLeftOut = "left-out";

// Adds to a set that keeps the smallest `most`; whether there were more.
template <typename Set, typename Value>
bool add_smallest(Set& set, const Value& value, size_t most) {
  if (set.size() >= most && !(value < *set.rbegin())) return set.find(value) == set.end();
  set.emplace(value);
  if (set.size() <= most) return false;
  set.erase(std::prev(set.end()));
  return true;
}

}  // namespace

FactSum::Values* FactSum::values_of(std::string_view key) {
  const auto known = keys_.find(key);
  if (known != keys_.end()) return &known->second;
  if (keys_.size() < kMaxKeys) return &keys_[std::string(key)];
  has_more_keys_ = true;
  if (key > keys_.rbegin()->first) return nullptr;
  keys_.erase(std::prev(keys_.end()));
  return &keys_[std::string(key)];
}

void FactSum::add_text(std::string_view key, std::string_view value) {
  Values* values = values_of(key);
  if (values != nullptr) values->has_more |= add_smallest(values->texts, value, kMaxValues);
}

void FactSum::add_number(std::string_view key, int64_t value) {
  Values* values = values_of(key);
  if (values != nullptr) values->has_more |= add_smallest(values->numbers, value, kMaxValues);
}

void FactSum::add_comment(std::string_view comment) { has_more_comments_ |= add_smallest(comments_, comment, kMaxComments); }

void FactSum::add(const FactSum& other) {
  for (const auto& [key, values] : other.keys_) {
    for (const std::string& text : values.texts) add_text(key, text);
    for (const int64_t number : values.numbers) add_number(key, number);
    if (Values* ours = values.has_more ? values_of(key) : nullptr) ours->has_more = true;
  }
  for (const std::string& comment : other.comments_) add_comment(comment);
  has_more_keys_ |= other.has_more_keys_;
  has_more_comments_ |= other.has_more_comments_;
}

void FactSum::finish_into(Profile& profile) const {
  const auto add = [&](std::string_view key, std::string_view value) {
    profile.provenance.push_back({profile.strings.intern(key), profile.strings.intern(value)});
  };
  for (const auto& [key, values] : keys_) {
    for (const std::string& text : values.texts) add(key, text);
    for (const int64_t number : values.numbers) add(key, std::to_string(number));
  }
  for (const auto& [key, values] : keys_) {
    if (values.has_more) profile.add_fact(kLeftOut, key);
  }
  if (has_more_keys_) profile.add_fact(kLeftOut, "facts");
  if (has_more_comments_) profile.add_fact(kLeftOut, "comments");
  for (const std::string& comment : comments_) profile.header.comments.push_back(profile.strings.intern(comment));
}

void HeaderSum::add(const Block& block, const BlockWindow& window) {
  if (time_ns_ == 0 || (window.time_ns != 0 && window.time_ns < time_ns_)) time_ns_ = window.time_ns;
  duration_ns_ += static_cast<uint64_t>(window.duration_ns);
  cpu_ns_ += static_cast<uint64_t>(window.overhead.cpu_ns);
  bytes_ += static_cast<uint64_t>(window.overhead.bytes);
  id_ = reduce::add_ids(id_, window.header_id);
  for (const Loss& loss : window.losses) losses_[loss.reason] += loss.count;
  Texts texts = block.texts[window.texts];
  size_t number = 0;
  for (const Texts::FactText& fact : texts.facts) {
    if (fact.is_number) {
      auto& [numbers, has_more] = numbers_[fact.key];
      has_more |= add_smallest(numbers, window.fact_numbers[number++], FactSum::kMaxValues);
    } else {
      facts_.emplace(fact.key, fact.value);
    }
  }
  texts.facts.clear();
  texts_.insert(std::move(texts));
}

Profile HeaderSum::finish(const Profile& dictionary, FactSum& facts) const {
  reduce::Merger merger;
  for (const Texts& texts : texts_) {
    Profile header;
    Importer importer(dictionary, header);
    header.header.period_type = importer.value_type({texts.period_type, texts.period_unit});
    header.header.period = texts.period;
    header.header.default_value_type = importer.string(texts.default_value_type);
    header.header.drop_frames = importer.string(texts.drop_frames);
    header.header.keep_frames = importer.string(texts.keep_frames);
    header.header.doc_url = importer.string(texts.doc_url);
    merger.add(header);
    for (const StringId comment : texts.comments) facts.add_comment(dictionary.text(comment));
  }
  for (const auto& [key, value] : facts_) facts.add_text(dictionary.text(key), dictionary.text(value));
  for (const auto& [key, values] : numbers_) {
    for (const int64_t number : values.first) facts.add_number(dictionary.text(key), number);
    if (values.second) facts.add_text(kLeftOut, dictionary.text(key));
  }
  Profile sum = merger.finish();
  finish_attributes(dictionary, sum, facts);
  sum.header.time_ns = time_ns_;
  sum.header.duration_ns = static_cast<int64_t>(duration_ns_);
  sum.header.id = sum.strings.intern(id_);
  sum.overhead = {static_cast<int64_t>(cpu_ns_), static_cast<int64_t>(bytes_)};
  for (const auto& [reason, count] : losses_) sum.add_loss(dictionary.text(reason), count);
  return sum;
}

void HeaderSum::finish_attributes(const Profile& dictionary, Profile& into, FactSum& facts) const {
  std::set<LabelId> united;
  for (const Texts& texts : texts_) {
    const auto members = dictionary.label_sets[texts.attributes];
    united.insert(members.begin(), members.end());
  }
  std::vector<LabelId> labels(united.begin(), united.end());
  std::ranges::sort(labels, {}, [&](LabelId id) {
    const Label& label = dictionary.labels[id];
    return std::tuple(label.scope, dictionary.text(label.key), dictionary.text(label.text), label.number,
                      dictionary.text(label.unit), label.type);
  });
  if (labels.size() > kMaxAttributes) {
    labels.resize(kMaxAttributes);
    facts.add_text(kLeftOut, "attributes");
  }
  Importer importer(dictionary, into);
  for (LabelId& label : labels) label = importer.label(label);
  into.header.attributes = into.label_set(std::move(labels));
}

}  // namespace atys::store
