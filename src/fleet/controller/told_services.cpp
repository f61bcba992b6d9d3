// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/told_services.h"

#include <map>

#include "fleet/window_labels.h"
#include "profile/import.h"

namespace atys::fleet {

using namespace profile;

namespace {

std::string text_label(const Profile& profile, LabelSetId set, std::string_view key) {
  for (const LabelId label : profile.label_sets[set])
    if (profile.text(profile.labels[label].key) == key) return std::string(profile.text(profile.labels[label].text));
  return {};
}

// Empty: it says nothing.
std::string told_by(const Profile& profile, LabelSetId set) {
  if (std::string service = text_label(profile, set, kServiceName); !service.empty()) return service;
  const std::string program = text_label(profile, set, kProgramName);
  return program.empty() ? std::string() : unknown_service(program);
}

class Splitter {
 public:
  Splitter(const Profile& profile, std::string otherwise, size_t most)
      : from_(profile), otherwise_(std::move(otherwise)), most_(most) {
    if (const std::string told = told_by(profile, profile.header.attributes); !told.empty()) otherwise_ = told;
  }

  // By sample; the profiles come in the order of their first samples.
  std::vector<std::string> services() {
    std::map<uint32_t, std::string> known;
    std::vector<std::string> all;
    for (size_t row = 0; row < from_.samples.size(); ++row) {
      const LabelSetId set = from_.samples.labels(row);
      const auto [found, is_new] = known.try_emplace(raw(set));
      if (is_new) found->second = told_by(from_, set);
      const std::string& service = found->second.empty() ? otherwise_ : found->second;
      const bool has_room = places_.contains(service) || places_.size() + 1 < most_;
      places_.try_emplace(has_room ? service : otherwise_, places_.size());
      all.push_back(has_room ? service : otherwise_);
    }
    return all;
  }

  bool is_one() const { return places_.size() <= 1; }
  std::string only() const { return places_.empty() ? otherwise_ : places_.begin()->first; }

  std::vector<std::pair<std::string, Profile>> split(const std::vector<std::string>& services) {
    std::vector<std::pair<std::string, Profile>> parts(places_.size());
    std::vector<Importer> importers;
    importers.reserve(parts.size());
    for (auto& [name, part] : parts) {
      importers.emplace_back(from_, part);
      importers.back().copy_header();
      if (importers.size() == 1) continue;
      part.losses.clear();
      part.overhead = {};
    }
    std::vector<int64_t> values(from_.value_types().size());
    for (size_t row = 0; row < services.size(); ++row) {
      const size_t place = places_.at(services[row]);
      Importer& importer = importers[place];
      for (size_t column = 0; column < values.size(); ++column) values[column] = from_.samples.value(row, column);
      parts[place].first = services[row];
      parts[place].second.samples.add(importer.stack(from_.samples.stack(row)), importer.labels(from_.samples.labels(row)),
                                      values, from_.samples.time_ns(row));
    }
    return parts;
  }

 private:
  const Profile& from_;
  std::string otherwise_;
  size_t most_;
  std::map<std::string, size_t> places_;
};

}  // namespace

std::string unknown_service(const std::string& program) {
  return program.empty() ? "unknown_service" : "unknown_service:" + program;
}

std::vector<std::pair<std::string, Profile>> by_told_service(Profile profile, const std::string& otherwise, size_t most) {
  std::vector<std::pair<std::string, Profile>> parts;
  Splitter splitter(profile, otherwise, most);
  const std::vector<std::string> services = splitter.services();
  if (!splitter.is_one()) return splitter.split(services);
  std::string only = splitter.only();
  parts.emplace_back(std::move(only), std::move(profile));
  return parts;
}

}  // namespace atys::fleet
