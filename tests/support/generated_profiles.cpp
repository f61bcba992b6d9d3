// SPDX-License-Identifier: Apache-2.0
#include "support/generated_profiles.h"

#include <array>
#include <bit>
#include <random>
#include <string>

namespace atys::test {

using namespace profile;

namespace {

class Generator {
 public:
  Generator(uint64_t seed, const GeneratorOptions& options) : random_(seed), options_(options) {}

  Profile generate() {
    for (size_t i = 0; i < options_.value_types; ++i)
      profile_.add_value_type("type" + std::to_string(i), i == 0 ? "nanoseconds" : "\xff odd;unit");
    for (int i = 0; i < 3; ++i) add_mapping();
    for (int i = 0; i < 12; ++i) add_function();
    for (int i = 0; i < 20; ++i) add_frame();
    for (size_t i = 0; i < options_.samples; ++i) add_sample();
    if (options_.odd_headers) add_header();
    return std::move(profile_);
  }

 private:
  uint64_t below(uint64_t limit) { return random_() % limit; }
  bool chance() { return below(2) == 0; }

  std::string odd_text() {
    using namespace std::string_literals;
    static const std::array<std::string, 14> kTexts = {""s,
                                                       "main"s,
                                                       "std::map<int, foo>::at(int) const"s,
                                                       "a b"s,
                                                       "semi;colon"s,
                                                       "new\nline"s,
                                                       "\xff\xfe\x80"s,
                                                       "\xf4\x8f\xbf\xbf"s,
                                                       "nul\0inside"s,
                                                       "\"quoted\\\""s,
                                                       "λ→日本"s,
                                                       "_[k]"s,
                                                       "x 12"s,
                                                       "</script><b>"s};
    std::string text = kTexts[below(kTexts.size())];
    if (chance()) text += std::to_string(below(5));
    return text;
  }

  int64_t odd_number() {
    static constexpr std::array<int64_t, 9> kNumbers = {
        0, 1, -1, 7, 1000, int64_t{1} << 40, int64_t{1} << 62, -(int64_t{1} << 62), INT64_MAX};
    return kNumbers[below(kNumbers.size())];
  }

  StringId string() { return profile_.strings.intern(odd_text()); }

  LabelId label(LabelScope scope) {
    Label label{string(), {}, 0, string(), static_cast<LabelType>(below(6)), scope};
    switch (label.type) {
      case LabelType::String:
      case LabelType::Bytes: label.text = string(); break;
      case LabelType::Int: label.number = odd_number(); break;
      case LabelType::Bool: label.number = static_cast<int64_t>(below(2)); break;
      case LabelType::Double: label.number = std::bit_cast<int64_t>(static_cast<double>(below(1000)) / 8 - 3); break;
      case LabelType::Json:
        label.text = profile_.strings.intern(R"({"arrayValue":{"values":[{"intValue":"7"},{"stringValue":"x"}]}})");
        break;
    }
    return profile_.labels.intern(label);
  }

  LabelSetId labels(size_t most, bool all_scopes) {
    std::vector<LabelId> members;
    for (size_t i = below(most + 1); i > 0; --i) {
      members.push_back(label(all_scopes ? static_cast<LabelScope>(below(4)) : LabelScope::Sample));
      if (below(4) == 0) members.push_back(members.back());
    }
    return profile_.label_set(members);
  }

  void add_mapping() {
    Mapping mapping;
    mapping.start = below(100) << 12;
    mapping.limit = mapping.start + ((1 + below(100)) << 12);
    mapping.file_offset = below(3) << 12;
    mapping.filename = string();
    mapping.build_id = profile_.strings.intern(chance() ? "" : "0123abcd" + std::to_string(below(9)));
    mapping.attributes = labels(1, false);
    mapping.has_functions = chance();
    mapping.has_inline_frames = chance();
    profile_.mappings.intern(mapping);
  }

  void add_function() {
    Function function{string(), string(), string(), static_cast<int64_t>(below(100))};
    // A function without any name is no function; OTLP says so.
    if (function == Function{}) function.name = profile_.strings.intern("f");
    profile_.functions.intern(function);
  }

  void add_frame() {
    std::vector<Line> lines;
    for (size_t i = below(4); i > 0; --i) {
      lines.push_back(
          {static_cast<int64_t>(below(1000)), static_cast<int64_t>(below(80)), any<FunctionId>(profile_.functions.size())});
    }
    Frame frame;
    frame.mapping = MappingId{static_cast<uint32_t>(below(profile_.mappings.size()))};
    // Addresses lie in their mapping, so that moving a mapping moves them along.
    frame.address = profile_.mappings[frame.mapping].start + below(0x1000);
    frame.lines = profile_.lines.intern(lines);
    frame.kind = profile_.strings.intern(chance() ? "kernel" : "");
    frame.attributes = labels(1, false);
    frame.is_folded = below(8) == 0;
    if (frame == Frame{}) frame.address = 1;
    profile_.frames.intern(frame);
  }

  template <typename Id>
  Id any(size_t table_size) {
    return Id{static_cast<uint32_t>(1 + below(table_size - 1))};
  }

  void add_sample() {
    std::vector<FrameId> frames(below(options_.deepest_stack + 1));
    for (FrameId& frame : frames) frame = any<FrameId>(profile_.frames.size());
    const StackId stack = profile_.stacks.intern(frames);
    std::vector<int64_t> values;
    for (size_t i = 0; i < options_.value_types; ++i) values.push_back(odd_number());
    profile_.samples.add(stack, labels(3, true), values,
                         options_.times && chance() ? static_cast<int64_t>(1 + below(1000)) : 0);
  }

  void add_header() {
    Header& header = profile_.header;
    header.time_ns = static_cast<int64_t>(below(1000));
    header.duration_ns = static_cast<int64_t>(below(1000));
    header.period_type = {string(), string()};
    header.period = odd_number();
    header.default_value_type = profile_.strings.intern("type0");
    header.drop_frames = string();
    header.keep_frames = string();
    header.doc_url = string();
    header.id = profile_.strings.intern(std::string(15, 'i') + std::to_string(below(10)));
    header.attributes = profile_.label_set({profile_.string_label("attribute", odd_text(), LabelScope::Profile)});
    profile_.add_comment(odd_text());
    profile_.add_comment("second comment");
    profile_.add_loss("ring-full" + odd_text(), 1 + below(50));
    profile_.add_fact("host", odd_text());
    profile_.overhead = {static_cast<int64_t>(below(100)), static_cast<int64_t>(below(100))};
  }

  std::mt19937_64 random_;
  GeneratorOptions options_;
  Profile profile_;
};

}  // namespace

Profile generate_profile(uint64_t seed, const GeneratorOptions& options) { return Generator(seed, options).generate(); }

std::vector<Profile> generate_profiles(uint64_t seed) {
  std::vector<Profile> profiles;
  for (uint64_t i = 0; i < 12; ++i) profiles.push_back(generate_profile(seed * 100 + i));
  profiles.push_back(generate_profile(seed, {.samples = 0}));
  profiles.push_back(generate_profile(seed, {.samples = 3, .value_types = 1, .deepest_stack = 10000}));
  profiles.push_back(generate_profile(seed, {.value_types = 4, .times = false, .odd_headers = false}));
  return profiles;
}

}  // namespace atys::test
