// SPDX-License-Identifier: Apache-2.0
#include "fleet/service_names.h"

#include <algorithm>
#include <cctype>

#include "base/json.h"
#include "base/utf8.h"
#include "language/languages.h"

namespace atys::fleet {

namespace {

constexpr size_t kLongestName = 120;
constexpr size_t kMostNames = 500;

// Folders that many programs have: another says more.
bool is_plain(const std::string& folder) {
  static const language::Words kPlain = language::words_of_all(&language::Language::plain_folders);
  return std::ranges::binary_search(kPlain, std::string_view(folder));
}

std::vector<std::string> folders_of(const std::string& path) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    if (end > at) parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Counted from the inside.
std::string part_at(const std::vector<std::string>& parts, size_t number) {
  return number < parts.size() ? parts[parts.size() - 1 - number] : std::string();
}

// A folder that tells it from all others at once, the inmost first.
std::string one_folder(const std::vector<std::string>& own, const std::vector<std::vector<std::string>>& others) {
  std::string plain;
  for (size_t i = 0; i < own.size(); ++i) {
    const std::string part = part_at(own, i);
    if (std::ranges::any_of(others, [&](const auto& other) { return part_at(other, i) == part; })) continue;
    if (!is_plain(part)) return part;
    if (plain.empty()) plain = part;
  }
  return plain;
}

// As many of the inmost folders as are needed.
std::string last_folders(const std::vector<std::string>& own, const std::vector<std::vector<std::string>>& others) {
  std::string text;
  for (size_t i = 0; i < own.size(); ++i) {
    text = part_at(own, i) + (text.empty() ? "" : "/") + text;
    const auto is_same = [&](const auto& other) {
      for (size_t j = 0; j <= i; ++j)
        if (part_at(other, j) != part_at(own, j)) return false;
      return true;
    };
    if (std::ranges::none_of(others, is_same)) return text;
  }
  return {};
}

// A folder with the numbers of a release, a time or a commit taken out: "/srv/shop/releases/*".
std::string of_any_release(const std::string& folder) {
  std::string text;
  for (const std::string& part : folders_of(folder)) {
    const auto is_hex = [](unsigned char c) { return std::isxdigit(c) != 0; };
    const auto is_number = [](unsigned char c) {
      return std::isdigit(c) != 0 || c == '.' || c == '-' || c == '_' || c == 'v';
    };
    const bool has_digit = std::ranges::any_of(part, [](unsigned char c) { return std::isdigit(c) != 0; });
    const bool is_release =
        has_digit && (std::ranges::all_of(part, is_number) || (part.size() >= 7 && std::ranges::all_of(part, is_hex)));
    text += "/" + (is_release ? "*" : part);
  }
  return text;
}

}  // namespace

std::string what_differs(const ServiceKey& key, std::span<const ServiceKey> others) {
  // Somebody has given it that name.
  if (!key.place.empty() && std::ranges::none_of(others, [&](const ServiceKey& other) { return other.place == key.place; }))
    return key.place;
  const std::vector<std::string> own = folders_of(key.folder);
  std::vector<std::vector<std::string>> folders;
  for (const ServiceKey& other : others)
    if (other.folder != key.folder) folders.push_back(folders_of(other.folder));
  // Those of the same folder are elsewhere: the place is to be said as well.
  const bool needs_place = folders.size() < others.size() && !key.place.empty();
  std::string folder;
  if (!folders.empty()) folder = one_folder(own, folders);
  if (!folders.empty() && folder.empty()) folder = last_folders(own, folders);
  if (!needs_place) return folder;
  return folder.empty() ? key.place : key.place + "/" + folder;
}

void ServiceNames::read(std::string_view text) {
  const Result<Json> list = parse_json(text);
  if (!list.ok() || !list->is_array()) return;
  for (const Json& one : *list) {
    const auto field = [&](const char* key) {
      const auto found = one.is_object() ? one.find(key) : one.end();
      return found != one.end() && found->is_string() ? from_utf8(found->get<std::string>()) : std::string();
    };
    const std::string name = field("name");
    if (!name.empty() && name.size() <= kLongestName && names_.size() < kMostNames)
      keep({field("runs"), field("folder"), field("in")}, name);
  }
}

std::string ServiceNames::text() const {
  JsonWriter json;
  json.begin_array();
  for (const auto& [key, name] : names_)
    json.begin_object()
        .field("name", name)
        .field("runs", key.name)
        .field("folder", key.folder)
        .field("in", key.place)
        .end_object();
  json.end_array();
  return json.take() + "\n";
}

void ServiceNames::keep(const ServiceKey& key, const std::string& name) {
  if (is_free(name)) names_.try_emplace(key, name);
}

bool ServiceNames::is_free(const std::string& name) const {
  return std::ranges::none_of(names_, [&](const auto& known) { return known.second == name; });
}

// The same in a folder of another release, or wherever, if a unit or a container says what it is. It has taken the other's
// place: what still runs beside it is another service.
std::optional<std::string> ServiceNames::name_of_predecessor(const ServiceKey& key, std::span<const BusyService> present) {
  for (auto known = names_.begin(); known != names_.end(); ++known) {
    const ServiceKey& old = known->first;
    if (old.name != key.name || old.place != key.place) continue;
    if (key.place.empty() && of_any_release(old.folder) != of_any_release(key.folder)) continue;
    if (std::ranges::any_of(present, [&](const BusyService& service) { return service.key == old; })) continue;
    std::string name = known->second;
    names_.erase(known);
    return name;
  }
  return std::nullopt;
}

std::string ServiceNames::new_name(const ServiceKey& key, std::span<const BusyService> present) const {
  std::vector<ServiceKey> others;
  for (const BusyService& service : present)
    if (service.key.name == key.name && service.key != key) others.push_back(service.key);
  for (const auto& [known, name] : names_)
    if (known.name == key.name && known != key && std::ranges::find(others, known) == others.end()) others.push_back(known);
  std::string name = key.name;
  if (!others.empty())
    if (const std::string difference = what_differs(key, others); !difference.empty()) name = difference + "/" + key.name;
  if (name.size() > kLongestName) name.erase(0, name.size() - kLongestName);
  std::string free = name;
  for (int number = 2; !is_free(free); ++number) free = name + "-" + std::to_string(number);
  return free;
}

std::string ServiceNames::name_of(const ServiceKey& key, std::span<const BusyService> present) {
  if (const auto known = names_.find(key); known != names_.end()) return known->second;
  std::optional<std::string> name = name_of_predecessor(key, present);
  if (!name) name = new_name(key, present);
  names_[key] = *name;
  return *name;
}

}  // namespace atys::fleet
