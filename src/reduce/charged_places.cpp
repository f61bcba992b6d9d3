// SPDX-License-Identifier: Apache-2.0
#include "reduce/charged_places.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace atys::reduce {

using namespace profile;

namespace {

// One function on a stack, and where of the dimension it is.
struct Step {
  EntityId function;
  EntityId place;
};

class Charging {
 public:
  Charging(const Profile& profile, const Dimension& by, const CodeOrigins& code, Origin most)
      : profile_(profile), places_(profile, by), code_(code), most_(most) {
    for (const Entity& entity : places_.entities()) charged_.push_back({.entity = entity});
    last_row_.resize(charged_.size(), SIZE_MAX);
  }

  void add(size_t row, double value) {
    read(row);
    if (steps_.empty()) return;
    of(steps_.front().place).self += value;
    for (const Step& step : steps_)
      if (std::exchange(last_row_[static_cast<size_t>(step.place)], row) != row) of(step.place).total += value;
    charge(value);
  }

  std::vector<ChargedPlace> take() {
    name_callees();
    std::erase_if(charged_, [](const ChargedPlace& place) { return place.charged == 0; });
    std::ranges::sort(charged_, [](const ChargedPlace& a, const ChargedPlace& b) {
      return std::tuple(-a.charged, -a.self, -a.total, std::string_view(a.entity.name), std::string_view(a.entity.file),
                        a.entity.line) < std::tuple(-b.charged, -b.self, -b.total, std::string_view(b.entity.name),
                                                    std::string_view(b.entity.file), b.entity.line);
    });
    return std::move(charged_);
  }

 private:
  ChargedPlace& of(EntityId place) { return charged_[static_cast<size_t>(place)]; }

  // Innermost first.
  void read(size_t row) {
    steps_.clear();
    const bool is_of_frames = places_.dimension().is_of_frames();
    for (const FrameId frame : profile_.stacks[profile_.samples.stack(row)]) {
      const auto functions = code_.attribution().of_frame(frame);
      for (size_t i = 0; i < functions.size(); ++i)
        steps_.push_back(
            {functions[i], is_of_frames ? places_.of_frame(frame)[i] : places_.of_labels(profile_.samples.labels(row))});
    }
  }

  void charge(double value) {
    const auto origin = [&](const Step& step) { return code_.of(step.function); };
    auto payer = std::ranges::find_if(steps_, [&](const Step& step) { return origin(step) <= most_; });
    if (payer == steps_.end()) payer = std::ranges::min_element(steps_, {}, origin);
    ChargedPlace& place = of(payer->place);
    if (place.charged == 0) place.origin = origin(*payer);
    place.charged += value;
    if (!places_.dimension().is_of_frames()) {
      note_callee(payer->place, payer->function, value);
    } else if (payer != steps_.begin()) {
      note_callee(payer->place, std::prev(payer)->function, value);
    }
  }

  void note_callee(EntityId place, EntityId function, double value) {
    callees_[uint64_t{static_cast<uint32_t>(place)} << 32 | static_cast<uint32_t>(function)] += value;
  }

  void name_callees() {
    std::vector<EntityId> best(charged_.size());
    for (const auto& [key, value] : callees_) {
      ChargedPlace& place = charged_[key >> 32];
      const EntityId function{static_cast<uint32_t>(key)};
      const bool is_first_of_equals = value == place.callee_value && function < best[key >> 32];
      if (value <= place.callee_value && !is_first_of_equals) continue;
      best[key >> 32] = function;
      place.callee_value = value;
      place.callee = code_.attribution().entities()[static_cast<size_t>(function)].name;
    }
  }

  const Profile& profile_;
  Attribution places_;
  const CodeOrigins& code_;
  Origin most_;
  std::vector<Step> steps_;
  std::vector<ChargedPlace> charged_;  // by EntityId
  std::vector<size_t> last_row_;       // that was added to the total, by EntityId
  std::unordered_map<uint64_t, double> callees_;
};

}  // namespace

std::vector<ChargedPlace> charged_places(const Profile& profile, size_t column, const Dimension& by, const CodeOrigins& code,
                                         Origin most) {
  Charging charging(profile, by, code, most);
  for (size_t row = 0; row < profile.samples.size(); ++row)
    charging.add(row, static_cast<double>(profile.samples.value(row, column)));
  return charging.take();
}

}  // namespace atys::reduce
