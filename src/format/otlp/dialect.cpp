// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/dialect.h"

#include "format/wire/wire_reader.h"

namespace atys::format::otlp {

namespace {

// Calls `visit` with the content of each message that is field `number` of `bytes`. Damage is left for the decoder to
// report.
template <typename Visit>
void for_each_message(std::string_view bytes, uint32_t number, const Visit& visit) {
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.number == number && field.type == WireType::Bytes) visit(field.bytes);
  }
}

size_t count_varints(std::string_view packed, uint64_t limit, bool& all_below) {
  WireReader reader(packed);
  size_t count = 0;
  for (uint64_t value = 0; reader.next_varint(value); ++count) all_below = all_below && value < limit;
  return count;
}

class Detector {
 public:
  Dialect detect(std::string_view bytes) {
    for_each_message(bytes, 2, [&](std::string_view dictionary) {
      for_each_message(dictionary, 6, [&](std::string_view) { ++attributes_; });
    });
    for_each_message(bytes, 1, [&](std::string_view resource_profiles) {
      for_each_message(resource_profiles, 2, [&](std::string_view scope_profiles) {
        for_each_message(scope_profiles, 2, [&](std::string_view profile) { see_profile(profile); });
      });
    });
    Dialect dialect;
    const bool is_undecided = old_samples_ == 0 && new_samples_ == 0;
    if (old_samples_ > new_samples_ || (is_undecided && looks_old_)) dialect.sample = kOldSampleNumbers;
    if (old_profiles_ > new_profiles_) dialect.profile = kOldProfileNumbers;
    return dialect;
  }

 private:
  void see_profile(std::string_view profile) {
    WireReader reader(profile);
    for (WireField field; reader.next(field);) {
      const bool is_bytes = field.type == WireType::Bytes;
      switch (field.number) {
        case 2:
          if (is_bytes) see_sample(field.bytes);
          break;
        case 7: see_field_7(field); break;
        case 8: ++(is_bytes ? old_profiles_ : new_profiles_); break;
        case 9: ++(is_bytes ? new_profiles_ : old_profiles_); break;
        case 12: ++old_profiles_; break;
        default: break;
      }
    }
  }

  // Comments, or an id of 16 bytes; some write an empty field where there is no id.
  void see_field_7(const WireField& field) {
    const bool is_bytes = field.type == WireType::Bytes;
    if (is_bytes && field.bytes.empty()) return;
    ++(is_bytes && field.bytes.size() == 16 ? new_profiles_ : old_profiles_);
  }

  // Field 2 holds values in old samples and attributes in new ones; 3 attributes or the link; 4 the link or values.
  void see_sample(std::string_view sample) {
    size_t field_2_count = 0;
    size_t timestamps = 0;
    bool in_range = true;
    WireReader reader(sample);
    for (WireField field; reader.next(field);) {
      const bool is_bytes = field.type == WireType::Bytes;
      if (field.number == 2 && is_bytes) field_2_count += count_varints(field.bytes, attributes_, in_range);
      if (field.number == 3) ++(is_bytes ? old_samples_ : new_samples_);
      if (field.number == 4) ++(is_bytes ? new_samples_ : old_samples_);
      if (field.number == 5) timestamps += is_bytes ? field.bytes.size() / 8 : 1;
    }
    // A sample needs values or timestamps; attributes are in their table.
    looks_old_ = looks_old_ || (field_2_count > 0 && (timestamps == 0 || !in_range));
  }

  uint64_t attributes_ = 0;
  size_t old_samples_ = 0, new_samples_ = 0, old_profiles_ = 0, new_profiles_ = 0;
  bool looks_old_ = false;
};

}  // namespace

Dialect detect_dialect(std::string_view bytes) { return Detector().detect(bytes); }

}  // namespace atys::format::otlp
