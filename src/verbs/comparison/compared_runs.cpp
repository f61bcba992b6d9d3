// SPDX-License-Identifier: Apache-2.0
#include "verbs/comparison/compared_runs.h"

#include <filesystem>

#include "reduce/anonymous.h"

namespace atys::verbs {

namespace {

// Files beyond are read a second time instead of being kept.
constexpr size_t kMostKeptBytes = size_t{512} << 20;

Result<LoadedProfile> load(const std::string& reference) {
  LoadedProfile loaded = TRY(load_profile(reference));
  loaded.profile = reduce::name_anonymous_functions(std::move(loaded.profile));
  return loaded;
}

}  // namespace

Result<> ComparedRuns::add(const std::string& reference, const View& view, reduce::Side side) {
  LoadedProfile loaded = TRY(load(reference));
  TRY(find_value_column(loaded.profile, view.value));
  std::error_code error;
  const bool can_be_read_again = std::filesystem::is_regular_file(reference, error);
  add(std::move(loaded), side);
  Run& run = of(side).back();
  run.reference = reference;
  if (!can_be_read_again || memory_bytes_ <= kMostKeptBytes) return {};
  memory_bytes_ -= run.loaded->profile.memory_bytes();
  run.loaded.reset();
  return {};
}

void ComparedRuns::add(LoadedProfile loaded, reduce::Side side) {
  names_.add(loaded.profile, side);
  memory_bytes_ += loaded.profile.memory_bytes();
  of(side).push_back({.reference = {}, .loaded = std::move(loaded)});
}

Result<ViewedProfile> ComparedRuns::take(size_t at, const View& view, reduce::Side side) {
  Run& run = of(side)[at];
  ViewedProfile viewed{run.loaded ? std::move(*run.loaded) : TRY(load(run.reference))};
  run.loaded.reset();
  viewed.column = TRY(find_value_column(viewed.loaded.profile, view.value));
  TRY(keep_asked(viewed, view, names_.renamed(viewed.loaded.profile, side)));
  return viewed;
}

void ComparedRuns::add_other_places(reduce::OwnCode& code) const {
  for (const auto& [name_and_file, other] : names_.other_names()) {
    reduce::Entity entity;
    entity.name = other.name;
    entity.file = other.file;
    entity.module = other.module;
    code.add_other_place(name_and_file.first, name_and_file.second, std::move(entity));
  }
}

void ComparedRuns::add_base_names(std::vector<reduce::DiffRow>& rows) const {
  for (reduce::DiffRow& row : rows) {
    const reduce::matching::CodeFunction* const other = names_.in_base(row.entity.name, row.entity.file);
    if (other == nullptr || (other->name == row.entity.name && other->file == row.entity.file)) continue;
    row.base_name = other->name;
    row.base_file = other->file;
  }
}

}  // namespace atys::verbs
