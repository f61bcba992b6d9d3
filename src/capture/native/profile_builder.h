// SPDX-License-Identifier: Apache-2.0
// Gives names to what was collected and makes a profile of it. Off the sampling path: each place is resolved once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "capture/native/slot_phases.h"
#include "capture/native/slot_pruning.h"
#include "capture/native/stack_collector.h"
#include "profile/profile.h"
#include "symbolize/jit_map.h"
#include "symbolize/kernel_symbols.h"

namespace atys::capture::native {

// Names of value columns: how many samples, and what they stand for.
struct ValueNames {
  std::string count_type = "samples";
  std::string weight_type = "cpu";
  std::string weight_unit = "nanoseconds";
  bool has_waits = false;  // a third column says how long others waited for a stack to wake them
};

class ProfileBuilder {
 public:
  ProfileBuilder(const StackCollector& collector, CodeModules& modules) : collector_(collector), modules_(modules) {}

  // Of slots whose samples are told by somebody else, all or the later ones, what stays here; nothing: all of it.
  using WhatStays = std::function<std::optional<SlotValue>(size_t slot)>;
  void leave_out(WhatStays what_stays) { what_stays_ = std::move(what_stays); }
  void prune_by(const adapt::PruningRule& rule) { pruning_rule_ = rule; }
  // By slot: what its weight is multiplied by. Empty: weights are what they are.
  void scale_by(std::vector<double> factors) { factors_ = std::move(factors); }
  // Who watches for ever does not open a library's debug file for a handful of samples: there is always one that is new.
  void spare_debug_files(bool spares) { spares_debug_files_ = spares; }
  // Samples have times where the collector has kept them.
  void tell_times(bool tells) { tells_times_ = tells; }
  // Samples have times where the run had phases: when theirs began.
  void tell_phases(bool tells) { tells_phases_ = tells; }
  // Adds the samples, their stacks with names, and what was lost on the way.
  void build(const ValueNames& names, Profile& profile);

 private:
  profile::FrameId frame_of(PlaceNumber place);
  profile::FrameId kernel_frame(uint64_t address);
  profile::FrameId file_frame(ModuleNumber module, uint64_t address, symbolize::Module::Effort effort);
  void weigh_places();
  void prepare_places(size_t depth);
  symbolize::Module::Effort effort_for(PlaceNumber place) const;
  profile::FrameId jit_frame(ModuleNumber module, uint64_t address);
  profile::FrameId language_frame(const StackReader& reader, uint64_t id);
  const symbolize::JitMap* jit_map(ModuleNumber module);
  profile::MappingId file_mapping(ModuleNumber module, uint64_t address);
  void add_sample(size_t number, const SlotValue& value, bool has_waits, int64_t time_ns);
  int64_t scaled(double weight, double factor);
  double factor_of(size_t slot) const { return factors_.empty() ? 1 : factors_[slot]; }
  std::vector<std::vector<StackCollector::Timed>> timed_by_slot() const;
  SlotValue add_timed(size_t number, SlotValue value, const std::vector<StackCollector::Timed>& timed);
  std::optional<uint64_t> doing(size_t slot);
  void add_reading();
  void add_pruned(uint64_t samples, double weight);
  std::optional<SlotValue> part_of(size_t slot) const { return what_stays_ ? what_stays_(slot) : std::nullopt; }
  SlotValue counted(size_t slot) const { return part_of(slot).value_or(collector_.value(slot)); }
  SlotValue value_of(size_t slot) const;
  uint64_t leaf_of(size_t slot);
  std::vector<profile::FrameId> frames_of(const Slot& slot);
  void trim_above(std::vector<profile::FrameId>& frames) const;
  void trim_wait(const Slot& slot, std::vector<profile::FrameId>& frames, std::string& reason) const;
  const StackReader* reader_of(const Slot& slot) const;
  void trim_waker(std::vector<profile::FrameId>& frames) const;
  bool is_kernel(profile::FrameId frame) const;
  std::string_view name_of(profile::FrameId frame) const;
  profile::LabelSetId labels_of(const Slot& slot, const std::string& reason);

  const StackCollector& collector_;
  CodeModules& modules_;
  WhatStays what_stays_;
  std::vector<double> factors_;
  double rounded_off_ = 0;  // of weights so far: sums stay exact
  Profile* profile_ = nullptr;
  adapt::PruningRule pruning_rule_;
  bool tells_phases_ = false;
  bool tells_times_ = false;
  bool spares_debug_files_ = false;
  SlotPruning pruning_;
  std::vector<profile::FrameId> frames_;  // by place; 0: not made yet
  std::vector<uint64_t> weights_;         // by place: of the stacks that it is in
  uint64_t whole_ = 0;
  uint64_t whole_samples_ = 0;
  uint64_t places_given_up_ = 0;
  std::unordered_map<ModuleNumber, std::unique_ptr<symbolize::JitMap>> jit_maps_;  // null: there is none
  const symbolize::KernelSymbols* kernel_ = nullptr;
  bool has_asked_for_kernel_ = false;
};

}  // namespace atys::capture::native
