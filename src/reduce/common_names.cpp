// SPDX-License-Identifier: Apache-2.0
#include "reduce/common_names.h"

#include <algorithm>

#include "base/path_names.h"
#include "profile/import.h"
#include "reduce/matching/function_name.h"

namespace atys::reduce {

using namespace profile;
using matching::CodeFile;
using matching::CodeFunction;
using matching::FileMatchedBy;
using matching::MatchedBy;

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr size_t kMostStarts = 64;  // more functions of one name in one file than that are not told apart

std::string key_of(std::string_view name, std::string_view file) { return std::string(name).append(1, '\0').append(file); }

void insert_sorted(std::vector<int64_t>& sorted, int64_t value) {
  const auto at = std::ranges::lower_bound(sorted, value);
  if ((at == sorted.end() || *at != value) && sorted.size() < kMostStarts) sorted.insert(at, value);
}

std::vector<CodeFile> as_files(const std::map<std::string, std::vector<std::string>>& modules) {
  std::vector<CodeFile> files;
  for (const auto& [path, functions] : modules) files.push_back({path, functions});
  return files;
}

// Where a path may be cut in two: "/old" begins "/old/a.py" but not "/older/a.py".
bool is_at_border(std::string_view text, size_t at) {
  static constexpr std::string_view kBorders = "/.:@!";
  return at == text.size() || kBorders.find(text[at]) != std::string_view::npos ||
         (at > 0 && kBorders.find(text[at - 1]) != std::string_view::npos);
}

void add_place(std::vector<MatchedPlaces>& places, const std::pair<std::string, std::string>& place) {
  const auto same = std::ranges::find_if(
      places, [&](const MatchedPlaces& of) { return of.base == place.first && of.fresh == place.second; });
  if (same != places.end())
    ++same->functions;
  else
    places.push_back({place.first, place.second, 1});
}

}  // namespace

Result<PathMap> parse_path_map(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return fail(ErrorCode::InvalidInput, "bad map '" + std::string(text) + "': not two paths with '=' between them",
                "write --map OLD=NEW, as in --map /srv/app-1.4=/home/me/app");
  return PathMap{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::string CommonNames::mapped(std::string_view text, Side side) const {
  if (side == Side::Base)
    for (const PathMap& map : maps_)
      if (text.starts_with(map.from) && is_at_border(text, map.from.size()))
        return map.to + std::string(text.substr(map.from.size()));
  return std::string(text);
}

std::string CommonNames::mapped_name(std::string_view name, Side side) const {
  const auto placed = matching::place_in_name(name);
  if (!placed || placed->file.empty()) return mapped(name, side);
  const auto at = static_cast<size_t>(placed->file.data() - name.data());
  return std::string(name.substr(0, at)) + mapped(placed->file, side) + std::string(name.substr(at + placed->file.size()));
}

CommonNames::Number CommonNames::number_of(const Profile& profile, FunctionId id, std::string_view module, Side side) {
  SideNames& names = of(side);
  const Function& function = profile.functions[id];
  std::string name = matching::name_in_any_build(function_name(profile, id));
  const std::string_view file = profile.text(function.filename);
  const auto [found, is_new] = names.numbers.try_emplace(key_of(name, file), static_cast<Number>(names.known.size()));
  if (is_new) {
    Known& known = names.known.emplace_back();
    known.as_is = {std::move(name), std::string(file), std::string(module), 0};
    known.mapped = {mapped_name(known.as_is.name, side), mapped(file, side), mapped(module, side), 0};
  }
  if (function.start_line > 0) insert_sorted(names.known[found->second].starts, function.start_line);
  return found->second;
}

void CommonNames::add(const Profile& profile, Side side) {
  SideNames& names = of(side);
  Run& run = names.runs.emplace_back();
  std::map<std::string, std::set<Number>> in_module;
  std::vector<Number> numbers(profile.functions.size(), kNone);
  for (uint32_t i = 1; i < profile.frames.size(); ++i) {
    const Frame& frame = profile.frames[FrameId{i}];
    const Mapping& mapping = profile.mappings[frame.mapping];
    const std::string module(profile.text(mapping.filename));
    for (const Line& line : profile.lines[frame.lines]) {
      Number& number = numbers[raw(line.function)];
      if (number == kNone) number = number_of(profile, line.function, module, side);
      if (!module.empty()) in_module[module].insert(number);
    }
    if (module.empty()) continue;
    in_module.try_emplace(module);
    const std::string build_id(profile.text(mapping.build_id));
    auto& known = names.build_ids[module];
    if (!build_id.empty() && std::ranges::find(known, build_id) == known.end()) known.push_back(build_id);
  }
  std::erase(numbers, kNone);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  run.functions = std::move(numbers);
  for (const auto& [module, functions] : in_module) {
    auto& texts = run.modules[module];
    for (const Number number : functions) texts.push_back(names.known[number].as_is.name);
    std::ranges::sort(texts);
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  }
}

void CommonNames::settle() {
  for (const Side side : {Side::Fresh, Side::Base}) {
    SideNames& names = of(side);
    for (const Run& run : names.runs) {
      settle_modules(names, run, side);
      settle_functions(names, run, side);
    }
    for (Known& known : names.known)
      (side == Side::Base ? common_[known.common].is_in_base : common_[known.common].is_in_fresh) = true;
  }
  note_other_builds();
  make_report();
}

void CommonNames::settle_modules(SideNames& names, const Run& run, Side side) {
  std::map<std::string, std::vector<std::string>> open;  // by what the user's maps make of it
  std::map<std::string, std::string> as_is;
  for (const auto& [module, functions] : run.modules) {
    if (names.modules.contains(module)) continue;
    open[mapped(module, side)] = functions;
    as_is[mapped(module, side)] = module;
  }
  if (open.empty()) return;
  const std::vector<CodeFile> own = as_files(open);
  const std::vector<CodeFile> common = as_files(common_modules_);
  for (const matching::FileMatch& match : matching::match_files(own, common)) {
    names.modules[as_is[own[match.base].path]] = common[match.fresh].path;
    open.erase(own[match.base].path);
  }
  for (auto& [module, functions] : open) {
    names.modules[as_is[module]] = module;
    common_modules_[module] = std::move(functions);
  }
}

void CommonNames::settle_functions(SideNames& names, const Run& run, Side side) {
  const auto is_settled = [&](Number number) { return names.known[number].common != kNone; };
  if (std::ranges::all_of(run.functions, is_settled)) return;
  std::vector<CodeFunction> own;
  for (const Number number : run.functions) {
    const Known& known = names.known[number];
    own.push_back(known.mapped);
    own.back().line = known.starts.empty() ? 0 : known.starts.front();
  }
  std::vector<CodeFunction> common;
  for (const Common& of_common : common_) common.push_back(of_common.function);
  std::map<std::string, std::string> modules;
  for (const auto& [module, in_common] : names.modules) modules[mapped(module, side)] = in_common;
  take_matches(names, run.functions, matching::match_functions(own, common, modules));
}

void CommonNames::take_matches(SideNames& names, const std::vector<Number>& functions, const matching::Matching& matching) {
  std::map<std::string, const matching::FileMatch*> files;
  for (const matching::FileMatch& match : matching.files) files[matching.base_files[match.base].path] = &match;
  std::set<Number> taken;  // by functions of this run that an earlier one has settled
  for (const Number number : functions)
    if (names.known[number].common != kNone) taken.insert(names.known[number].common);
  for (const matching::FunctionMatch& match : matching.functions) {
    Known& known = names.known[functions[match.base]];
    if (known.common != kNone || taken.contains(match.fresh)) continue;
    known.common = match.fresh;
    known.by = match.by;
    const auto file = files.find(known.mapped.file);
    if (match.by == MatchedBy::Folder && file != files.end()) {
      known.places = {file->second->base_folder, file->second->fresh_folder};
    } else if (match.by == MatchedBy::File) {
      known.places = {known.mapped.file, common_[match.fresh].function.file};
    }
  }
  for (const Number number : functions) {
    Known& known = names.known[number];
    if (known.common != kNone) continue;
    known.common = static_cast<Number>(common_.size());
    Common& made = common_.emplace_back();
    made.function = known.mapped;
    made.function.line = known.starts.empty() ? 0 : known.starts.front();
    made.starts = known.starts;
    if (const auto file = files.find(known.mapped.file); file != files.end())
      made.function.file = matching.fresh_files[file->second->fresh].path;
    if (const auto module = names.modules.find(known.as_is.module); module != names.modules.end())
      made.function.module = module->second;
  }
}

void CommonNames::make_report() {
  for (const Known& known : base_.known) {
    const Common& common = common_[known.common];
    if (known.as_is.name != common.function.name || known.as_is.file != common.function.file ||
        known.as_is.module != common.function.module)
      other_names_.try_emplace({common.function.name, common.function.file}, known.as_is);
    if (!common.is_in_fresh) {
      ++report_.only_base;
      continue;
    }
    switch (known.by) {
      case MatchedBy::Place: ++report_.same_place; break;
      case MatchedBy::Name: ++report_.by_name; break;
      case MatchedBy::Line: ++report_.by_line; break;
      case MatchedBy::Folder:
        ++report_.by_folder;
        add_place(report_.folders, known.places);
        break;
      case MatchedBy::File:
        ++report_.by_file;
        add_place(report_.files, known.places);
        break;
    }
  }
  for (const Common& common : common_) report_.only_fresh += common.is_in_fresh && !common.is_in_base ? 1 : 0;
  for (auto* places : {&report_.folders, &report_.files})
    std::ranges::stable_sort(*places, [](const auto& a, const auto& b) { return a.functions > b.functions; });
}

void CommonNames::note_other_builds() {
  const auto ids_of = [](const SideNames& names) {
    std::map<std::string, std::set<std::string>> ids;
    for (const auto& [module, common] : names.modules)
      if (const auto found = names.build_ids.find(module); found != names.build_ids.end())
        ids[common].insert(found->second.begin(), found->second.end());
    return ids;
  };
  const auto base = ids_of(base_);
  for (const auto& [module, ids] : ids_of(fresh_)) {
    const auto found = base.find(module);
    if (ids.empty() || found == base.end() || found->second.empty()) continue;
    const auto is_known = [&](const std::string& id) { return found->second.contains(id); };
    if (std::ranges::none_of(ids, is_known)) rebuilt_.insert(module);
  }
}

int64_t CommonNames::common_start(const Known& known, int64_t start) const {
  const std::vector<int64_t>& to = common_[known.common].starts;
  const auto at = std::ranges::find(known.starts, start);
  if (at == known.starts.end() || to.size() != known.starts.size()) return start;
  return to[static_cast<size_t>(at - known.starts.begin())];
}

Profile CommonNames::renamed(Profile profile, Side side) const {
  const SideNames& names = of(side);
  Profile renamed;
  Importer importer(profile, renamed);
  bool is_changed = false;
  for (uint32_t i = 1; i < profile.functions.size(); ++i) {
    const Function& function = profile.functions[FunctionId{i}];
    const std::string_view name = function_name(profile, FunctionId{i});
    const auto number = names.numbers.find(key_of(matching::name_in_any_build(name), profile.text(function.filename)));
    if (number == names.numbers.end()) continue;
    const Known& known = names.known[number->second];
    const CodeFunction& common = common_[known.common].function;
    const int64_t start = common_start(known, function.start_line);
    if (common.name == name && common.file == profile.text(function.filename) && start == function.start_line) continue;
    importer.replace(FunctionId{i}, common.name, common.file, start);
    is_changed = true;
  }
  for (uint32_t i = 1; i < profile.mappings.size(); ++i) {
    const std::string module(profile.text(profile.mappings[MappingId{i}].filename));
    const auto found = names.modules.find(module);
    if (found == names.modules.end()) continue;
    if (rebuilt_.contains(found->second)) {
      importer.name_unresolved(MappingId{i}, std::string(base_name(found->second)) + "+?");
      is_changed = true;
    }
    if (found->second == module) continue;
    importer.rename(MappingId{i}, found->second);
    is_changed = true;
  }
  if (!is_changed) return profile;
  importer.copy_header();
  importer.copy_samples();
  return renamed;
}

const CodeFunction* CommonNames::in_base(std::string_view name, std::string_view file) const {
  const auto found = other_names_.find({std::string(name), std::string(file)});
  return found == other_names_.end() ? nullptr : &found->second;
}

NamedAlike named_alike(const Profile& base, const Profile& fresh, const std::vector<PathMap>& maps) {
  CommonNames names(maps);
  names.add(fresh, Side::Fresh);
  names.add(base, Side::Base);
  names.settle();
  return {names.renamed(base, Side::Base), names.renamed(fresh, Side::Fresh), names.report()};
}

}  // namespace atys::reduce
