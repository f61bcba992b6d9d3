// SPDX-License-Identifier: Apache-2.0
// Carries the dictionary of an OTLP message into a profile. check_indices() has accepted the message: see entry.h.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "format/otlp/message.h"
#include "format/otlp/semantics.h"
#include "profile/profile.h"

namespace atys::format::otlp {

// A few bytes can refer to many labels, over and over; this bounds what comes of it.
class LabelBudget {
 public:
  explicit LabelBudget(size_t labels) : left_(labels) {}
  Result<> spend(size_t labels) {
    if (labels > left_) return fail(ErrorCode::ResourceExhausted, "bad OTLP data: the file refers to too many attributes");
    left_ -= labels;
    return {};
  }

 private:
  size_t left_;
};

class DictionaryReader {
 public:
  // All three outlive the reader.
  DictionaryReader(const message::Dictionary& dictionary, Profile& profile, LabelBudget& budget);

  // Fills mappings, functions, frames and stacks.
  Result<> read();

  std::string_view text(int32_t index) const;
  profile::StackId stack(int32_t index) const;
  const message::Link* link(int32_t index) const;            // null for "none"
  const message::Attribute* attribute(int32_t index) const;  // null for "none"

  // The labels that an attribute stands for, in the scope of `list`. Made once, however often it
  // is used; each use is paid for.
  Result<std::span<const profile::LabelId>> labels(int32_t index, AttributeList list);

 private:
  Result<> read_mappings();
  void read_functions();
  Result<> read_frames();
  void read_stacks();
  profile::StringId string(int32_t index) const;
  profile::MappingId mapping(int32_t index) const;
  profile::LineListId lines(const message::Location& location);
  profile::FrameId frame(int32_t index);
  Result<profile::LabelSetId> take_mapping_attributes(const std::vector<int32_t>& indices, profile::Mapping& mapping);
  Result<profile::LabelSetId> take_frame_attributes(const std::vector<int32_t>& indices, profile::Frame& frame);
  profile::FunctionId function(int32_t index);
  template <typename TakeSpecial>
  Result<profile::LabelSetId> take_attributes(const std::vector<int32_t>& indices, AttributeList list,
                                              const TakeSpecial& take_special);

  struct KnownLabels {
    bool is_known = false;
    std::vector<profile::LabelId> labels;
  };

  const message::Dictionary* dictionary_;
  Profile* profile_;
  LabelBudget* budget_;
  std::vector<profile::StringId> strings_;
  std::vector<profile::StackId> stacks_;
  // In the profile the rows of this message follow those of earlier ones; position 0 is the empty row all the same.
  uint32_t first_mapping_ = 0, first_function_ = 0, first_frame_ = 0;
  profile::FunctionId nameless_function_{};
  profile::FrameId nameless_frame_{};
  std::vector<KnownLabels> sample_labels_, profile_labels_;
};

}  // namespace atys::format::otlp
