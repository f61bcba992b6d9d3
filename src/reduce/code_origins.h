// SPDX-License-Identifier: Apache-2.0
// Whose code the functions of one profile are, and who pays for code that is not the user's: the value of a sample is
// charged to its innermost function of a kind, so that what a library costs is seen where the user calls it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reduce/attribution.h"
#include "reduce/own_code.h"

namespace atys::reduce {

class CodeOrigins {
 public:
  CodeOrigins(const Profile& profile, size_t column, const OwnCode& code);

  const Attribution& attribution() const { return attribution_; }
  Origin of(EntityId entity) const { return origins_[static_cast<size_t>(entity)]; }

  // What stands for the user's code here. Own, but in a profile where no sample passes through any: then Library, and where
  // there is none of that either, Runtime.
  Origin shown_as_own() const { return level_; }
  bool is_own(EntityId entity) const { return of(entity) <= level_; }
  bool is_runtime(EntityId entity) const { return of(entity) == Origin::Runtime && level_ != Origin::Runtime; }

  double sum() const { return sum_; }                                                 // of all samples
  double self_of(Origin origin) const { return self_[static_cast<size_t>(origin)]; }  // of samples that end there
  double outside() const { return outside_; }  // of samples that pass through no code shown as own

  // What the runtime does where no code but its own is on the stack (`runtime_work`), costliest first. Empty where nothing
  // but the runtime was seen.
  std::vector<std::pair<std::string, double>> runtime_works(const Profile& profile, size_t column) const;

  // By entity: the value of the samples in which it is the innermost one that is no deeper than `most`.
  std::vector<double> charged(const Profile& profile, size_t column, Origin most) const;

  // By entity: what it is charged most for, of all that it calls itself and is deeper than `most`.
  struct Callee {
    EntityId entity{};
    double value = 0;  // 0: there is none
  };
  std::vector<Callee> costliest_callees(const Profile& profile, size_t column, Origin most) const;

 private:
  Attribution attribution_;
  std::vector<Origin> origins_;
  Origin level_ = Origin::Own;
  double sum_ = 0;
  double self_[3] = {};
  double outside_ = 0;
};

}  // namespace atys::reduce
