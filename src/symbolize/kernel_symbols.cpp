// SPDX-License-Identifier: Apache-2.0
#include "symbolize/kernel_symbols.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/breather.h"
#include "base/unique_fd.h"
#include "symbolize/kernel_symbols_codec.h"

namespace atys::symbolize {

namespace {

constexpr size_t kMostSymbols = size_t{8} << 20;
constexpr size_t kMostBytes = size_t{512} << 20;
constexpr size_t kLongestLine = 4096;
constexpr size_t kMostModules = 65535;
// No function is longer; what lies further behind the last symbol is not of it.
constexpr uint64_t kLongestFunction = uint64_t{4} << 20;

Error fail_hidden() {
  return fail(ErrorCode::PermissionDenied, "kernel symbols: /proc/kallsyms shows only zero addresses",
              "run with cap_syslog, as root outside of containers has it, or: sysctl -w kernel.kptr_restrict=0 "
              "kernel.perf_event_paranoid=1");
}

}  // namespace

// Takes the text in pieces of any size, so that the whole of it is never in memory.
class KallsymsParser {
 public:
  void feed(std::string_view text) {
    if (!rest_.empty()) {
      const size_t end = text.find('\n');
      rest_.append(text.substr(0, end));
      if (rest_.size() > kLongestLine) rest_.resize(kLongestLine);
      if (end == std::string_view::npos) return;
      add_line(rest_);
      rest_.clear();
      text.remove_prefix(end + 1);
    }
    for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      add_line(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    rest_.assign(text.substr(0, kLongestLine));
  }
  Result<KernelSymbols> finish();

 private:
  struct Row {
    uint64_t address = 0;
    uint32_t name = 0;
    uint16_t module = 0;
    uint8_t rank = 0;
  };
  void add_line(std::string_view line);
  uint16_t module_number(std::string_view name);
  void drop_aliases();

  std::string rest_;
  std::vector<Row> rows_;
  std::string names_;
  std::vector<std::string> modules_{std::string()};
  uint64_t text_start_ = 0;
  size_t lines_ = 0;
  bool has_addresses_ = false;
};

// "ffffffff81000000 T name\t[module]"
void KallsymsParser::add_line(std::string_view line) {
  uint64_t address = 0;
  size_t at = 0;
  for (; at < line.size() && at < 16; ++at) {
    const char c = line[at];
    if (c >= '0' && c <= '9')
      address = address << 4 | static_cast<uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      address = address << 4 | static_cast<uint64_t>(c - 'a' + 10);
    else
      break;
  }
  if (at == 0 || line.size() < at + 4 || line[at] != ' ' || line[at + 2] != ' ') return;
  const char type = line[at + 1];
  ++lines_;
  if (address == 0) return;
  has_addresses_ = true;
  if (std::strchr("tTwWi", type) == nullptr || rows_.size() >= kMostSymbols) return;
  std::string_view name = line.substr(at + 3);
  std::string_view module;
  if (const size_t tab = name.find('\t'); tab != std::string_view::npos) {
    if (name.size() > tab + 3 && name[tab + 1] == '[' && name.back() == ']')
      module = name.substr(tab + 2, name.size() - tab - 3);
    name = name.substr(0, tab);
  }
  if (name.empty() || name[0] == '$' || name.find('\0') != std::string_view::npos) return;
  if (module.empty() && (name == "_text" || (name == "_stext" && text_start_ == 0))) text_start_ = address;
  uint8_t rank = type == 'T' ? 0 : type == 't' ? 2 : 4;
  // Marks of where sections begin and end are no functions; __pfx_ is the padding in front of one.
  if (name.starts_with("_") || name.find('.') != std::string_view::npos) rank += 1;
  if (name == "_text" || name == "_stext" || name == "_etext" || name == "_sinittext" || name == "_einittext") rank = 9;
  rows_.push_back({address, static_cast<uint32_t>(names_.size()), module_number(module), rank});
  names_.append(name);
  names_.push_back('\0');
}

uint16_t KallsymsParser::module_number(std::string_view name) {
  if (name.empty()) return 0;
  // Symbols of one module follow each other.
  if (modules_.back() == name) return static_cast<uint16_t>(modules_.size() - 1);
  if (const auto found = std::find(modules_.begin(), modules_.end(), name);
      found != modules_.end() && modules_.size() < 1000)
    return static_cast<uint16_t>(found - modules_.begin());
  if (modules_.size() >= kMostModules) return 0;
  modules_.emplace_back(name);
  return static_cast<uint16_t>(modules_.size() - 1);
}

// Of the names for one address the best is kept, the first of equally good ones.
void KallsymsParser::drop_aliases() {
  size_t kept = 0;
  for (const Row& row : rows_) {
    if (kept == 0 || rows_[kept - 1].address != row.address)
      rows_[kept++] = row;
    else if (row.rank < rows_[kept - 1].rank)
      rows_[kept - 1] = row;
  }
  rows_.resize(kept);
}

Result<KernelSymbols> KallsymsParser::finish() {
  if (!rest_.empty()) add_line(rest_);
  if (lines_ > 0 && !has_addresses_) return fail_hidden();
  if (rows_.empty()) return fail(ErrorCode::InvalidInput, "kernel symbols: no functions in /proc/kallsyms");
  const auto by_address = [](const Row& a, const Row& b) { return a.address < b.address; };
  // The kernel lists its own symbols in order; only modules may break it.
  if (!std::is_sorted(rows_.begin(), rows_.end(), by_address)) std::stable_sort(rows_.begin(), rows_.end(), by_address);
  drop_aliases();
  std::vector<uint64_t> addresses;
  std::vector<uint32_t> names_at;
  std::vector<uint16_t> modules_of;
  for (const Row& row : rows_) {
    addresses.push_back(row.address);
    names_at.push_back(row.name);
    modules_of.push_back(row.module);
  }
  auto bytes = std::make_shared<Bytes>(encode_kernel_symbols(
      {.addresses = addresses, .names_at = names_at, .modules_of = modules_of, .modules = modules_, .names = names_},
      text_start_));
  const std::span<const std::byte> content(*bytes);
  return KernelSymbols::load(content, std::move(bytes));
}

Result<KernelSymbols> KernelSymbols::parse(std::string_view text) {
  KallsymsParser parser;
  parser.feed(text);
  return parser.finish();
}

Result<KernelSymbols> KernelSymbols::read(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) return fail_errno("open " + path);
  KallsymsParser parser;
  std::vector<char> buffer(size_t{256} << 10);
  for (size_t total = 0; total < kMostBytes;) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read " + path);
    if (got == 0) break;
    total += static_cast<size_t>(got);
    parser.feed({buffer.data(), static_cast<size_t>(got)});
    breathe();
  }
  return parser.finish();
}

std::optional<KernelSymbol> KernelSymbols::resolve(uint64_t address) const {
  const auto after = std::upper_bound(addresses_.begin(), addresses_.end(), address);
  if (after == addresses_.begin()) return {};
  const auto at = static_cast<size_t>(after - addresses_.begin()) - 1;
  if (address - addresses_[at] >= kLongestFunction) return {};
  return KernelSymbol{std::string_view(names_.data() + names_at_[at]), modules_[modules_of_[at]], addresses_[at]};
}

}  // namespace atys::symbolize
