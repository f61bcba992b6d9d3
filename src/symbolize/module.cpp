// SPDX-License-Identifier: Apache-2.0
#include "symbolize/module.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/path_names.h"
#include "symbolize/debug_files.h"
#include "symbolize/demangle.h"
#include "symbolize/jail.h"
#include "symbolize/jail_questions.h"
#include "symbolize/jailed_module.h"
#include "symbolize/mapped_file.h"
#include "symbolize/module_resources.h"

namespace atys::symbolize {

namespace {

// Smaller tables are made again as quickly as they are read.
constexpr size_t kWorthKeeping = 2000;
constexpr size_t kMostDemangled = size_t{64} << 10;
constexpr uint64_t kLargestHashed = uint64_t{16} << 30;
constexpr std::string_view kSha256 = "sha256-2";
constexpr size_t kSha256Digits = 64;
constexpr size_t kMostRangesAhead = 8192;
constexpr std::string_view kDeleted = " (deleted)";
constexpr uint64_t kBytesOpenedPerRange = 1024;  // of debug sections, unpacked

Result<std::string> hash_file(const ElfFile& file) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1)
    return fail(ErrorCode::Internal, "SHA-256 cannot start");
  std::vector<char> buffer(size_t{256} << 10);
  uint64_t at = 0;
  while (at < kLargestHashed) {
    const ssize_t got = ::pread(file.fd(), buffer.data(), buffer.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read " + file.name());
    if (got == 0) break;
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<size_t>(got));
    at += static_cast<uint64_t>(got);
  }
  if (at >= kLargestHashed) return fail(ErrorCode::ResourceExhausted, file.name() + ": too large to hash");
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &length);
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

// Of the place where the function begins in the file's own address space, as nm and objdump show it.
std::string name_of_nameless(std::string_view path, uint64_t begin) {
  if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
  path = base_name(path);
  if (path.starts_with('[') && path.ends_with(']')) path = path.substr(1, path.size() - 2);  // "[vdso]"
  return fmt::format("[{}+{:#x}]", path, begin);
}

}  // namespace

Module::Module(Origin origin, std::shared_ptr<const ElfFile> file, std::shared_ptr<ModuleResources> resources)
    : origin_(std::move(origin)), has_file_(file != nullptr), resources_(std::move(resources)), file_(std::move(file)) {
  if (file_ == nullptr) return;
  build_id_ = file_->build_id();
  segments_ = file_->segments();
  file_size_ = file_->file_size();
  holds_descriptor_ = file_->fd() >= 0;
  last_use_ = resources_->next_use();
  if (Jail* jail = holds_descriptor_ ? Jail::get() : nullptr) jailed_ = std::make_unique<JailedModule>(*this, *jail);
}

Module::~Module() = default;

std::string Module::cache_key() const { return origin_.is_of_its_tree_alone ? std::string() : origin_.state.key_on_disk(); }

std::string Module::cache_key_of(const ElfFile& file) const {
  if (origin_.told_key) return *origin_.told_key;
  if (origin_.is_of_its_tree_alone || file.fd() < 0) return {};
  return state_of(file.fd(), origin_.state.file).key_on_disk();
}

std::optional<uint64_t> Module::file_address(uint64_t file_offset) const {
  // Segments may share a page of the file; what is asked for is code nearly always.
  for (const bool wants_code : {true, false})
    for (const auto& segment : segments_)
      if (segment.is_executable == wants_code && file_offset >= segment.file_offset &&
          file_offset - segment.file_offset < segment.file_size)
        return segment.address + (file_offset - segment.file_offset);
  return {};
}

std::shared_ptr<const ElfFile> Module::elf() {
  const std::lock_guard lock(mutex_);
  last_use_ = resources_->next_use();
  return open_again();
}

std::shared_ptr<const ElfFile> Module::open_again() {
  if (file_ != nullptr || !has_file_ || !origin_.can_be_found_again) return file_;
  auto handle = open_path_in_root("", origin_.path);
  if (!handle.ok()) return nullptr;
  auto fd = open_for_reading(*handle, origin_.path);
  if (!fd.ok()) return nullptr;
  auto file = ElfFile::open(fd.take(), origin_.path);
  if (!file.ok() || state_of(file->fd(), origin_.state.file).text() != origin_.state.text()) return nullptr;
  file_ = std::make_shared<const ElfFile>(file.take());
  holds_descriptor_ = true;
  return file_;
}

void Module::close_file() {
  // Not while anything is locked: the worker's questions lock it too. What nobody can open again, the worker keeps.
  if (jailed_ != nullptr && origin_.can_be_found_again) jailed_->forget();
  const std::lock_guard lock(mutex_);
  if (!holds_descriptor_) return;
  if (!origin_.can_be_found_again && jailed_ == nullptr) {
    load_symbols();
    load_ranges();
    if (go_) go_->detach();
  } else {
    go_.reset();
    was_go_tried_ = false;
  }
  dwarf_.reset();
  was_dwarf_tried_ = !origin_.can_be_found_again;
  debug_file_.reset();
  file_.reset();
  holds_descriptor_ = false;
}

void Module::forget_sections() {
  if (jailed_ != nullptr) jailed_->forget_sections();
  const std::lock_guard lock(mutex_);
  const bool is_in_use = debug_tables() > 0 || file_.use_count() > 1;
  if (file_ == nullptr || is_in_use || last_use_ == forgotten_at_) return;
  forgotten_at_ = last_use_;
  UniqueFd fd(::fcntl(file_->fd(), F_DUPFD_CLOEXEC, 0));
  if (!fd.is_open()) return;
  if (auto file = ElfFile::open(std::move(fd), file_->name()); file.ok() && file->build_id() == build_id_)
    file_ = std::make_shared<const ElfFile>(file.take());
  was_debug_file_sought_ = was_debug_file_sought_ && debug_file_ == nullptr;
  debug_file_.reset();
}

void Module::drop_debug_info() {
  const std::lock_guard lock(mutex_);
  dwarf_.reset();
  was_dwarf_tried_ = false;
  // A table whose file is given up could not be had again.
  if (go_ && go_->has_file()) {
    go_.reset();
    was_go_tried_ = false;
  }
  was_debug_file_sought_ = was_debug_file_sought_ && debug_file_ == nullptr;
  debug_file_.reset();
}

DebugFileSearch Module::search() const {
  const auto& options = resources_->options();
  return {.path = origin_.path,
          .root = origin_.pid != 0 ? fmt::format("/proc/{}/root", origin_.pid) : std::string(),
          .debug_folder = options.debug_folder,
          .may_ask_debuginfod = options.may_ask_debuginfod,
          .debuginfod_seconds = options.debuginfod_seconds};
}

std::shared_ptr<const ElfFile> Module::debug_file(const ElfFile& file) {
  if (was_debug_file_sought_) return debug_file_;
  was_debug_file_sought_ = true;
  if (auto found = resources_->find_debug_file(file, search()); found.ok())
    debug_file_ = std::make_shared<const ElfFile>(found.take());
  return debug_file_;
}

// Only whole tables are kept on disk: a stripped file's few names would hide those of a debug file that comes later.
void Module::load_symbols() {
  if (symbols_) return;
  symbols_.emplace();
  const std::string key = cache_key();
  if (auto kept = resources_->load(kSymbolsKind, key))
    if (auto table = SymbolTable::parse(*kept)) {
      symbols_ = std::move(table);
      return;
    }
  const auto file = open_again();
  if (file == nullptr) return;
  symbols_ = SymbolTable::build(*file, SymbolTable::is_stripped(*file) ? debug_file(*file).get() : nullptr);
  if (symbols_->is_whole() && symbols_->size() >= kWorthKeeping && key == cache_key_of(*file))
    resources_->store(kSymbolsKind, key, symbols_->flat());
}

Result<std::unique_ptr<DwarfInfo>> Module::open_debug_info(const std::shared_ptr<const ElfFile>& file) {
  std::shared_ptr<const ElfFile> alternate;
  if (const auto link = DwarfInfo::alternate_link(*file))
    alternate = std::make_shared<const ElfFile>(TRY(resources_->find_alternate_file(*link, search())));
  return DwarfInfo::open(file, alternate, resources_->options().largest_debug_file);
}

void Module::load_debug_info(Effort effort) {
  if (was_dwarf_tried_ || !resources_->options().wants_lines) return;
  auto file = open_again();
  if (effort == Effort::Names && file != nullptr && !DwarfInfo::has_debug_info(*file)) return;
  was_dwarf_tried_ = true;
  if (file != nullptr && !DwarfInfo::has_debug_info(*file)) file = debug_file(*file);
  if (file == nullptr || !DwarfInfo::has_debug_info(*file)) return;
  is_dwarf_separate_ = file != file_;
  if (auto info = open_debug_info(file); info.ok()) dwarf_ = info.take();
}

void Module::load_ranges() {
  if (ranges_) return;
  if (const auto file = open_again()) ranges_ = FunctionRanges::read(*file);
}

// A symbol without a size reaches to the next one, over all that was stripped between them.
std::optional<Symbol> Module::symbol_at(uint64_t file_address) {
  const auto symbol = symbols_->find(file_address);
  if (!symbol || !symbol->is_size_guessed) return symbol;
  load_ranges();
  const auto range = ranges_ ? ranges_->find(file_address) : std::nullopt;
  return range && range->begin > symbol->address ? std::nullopt : symbol;
}

std::vector<SourceFrame> Module::nameless_frames(uint64_t file_address) {
  load_ranges();
  const auto range = ranges_ ? ranges_->find(file_address) : std::nullopt;
  if (!range) return {};
  std::string name = name_of_nameless(path(), range->begin);
  return {{name, name}};
}

void Module::load_go_table() {
  if (was_go_tried_) return;
  was_go_tried_ = true;
  if (auto file = open_again()) go_ = GoBinary::open(std::move(file));
}

std::vector<SourceFrame> Module::go_frames(uint64_t file_address) {
  load_go_table();
  if (!go_) return {};
  std::vector<SourceFrame> frames;
  for (const GoFrame& frame : go_->frames_at(file_address)) {
    const std::string name(frame.function);
    frames.push_back({name, name, std::string(frame.file), frame.line, frame.start_line});
  }
  if (frames.empty() || resources_->options().wants_lines) return frames;
  return {{frames.back().function, frames.back().system_name}};
}

// Go's debug information has no line for the first instruction of some functions, where many samples fall.
void Module::place_by_go_table(uint64_t file_address, std::vector<SourceFrame>& frames) {
  const auto others = go_frames(file_address);
  if (others.size() != frames.size()) return;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (!frames[i].file.empty()) continue;
    frames[i].file = others[i].file;
    frames[i].line = others[i].line;
  }
}

const std::string& Module::demangled(const Symbol& symbol) {
  if (demangled_.size() >= kMostDemangled) demangled_.clear();
  const auto [found, is_new] = demangled_.try_emplace(symbol.address);
  if (is_new) found->second = demangle(symbol.name);
  return found->second;
}

// The debug information names functions better, but not those that it gives neither a linkage name nor types for: then the
// symbol is taken if it says more (scopes, arguments).
SourceFrame Module::outermost_frame(DwarfFrame frame, const std::optional<Symbol>& symbol) {
  const bool is_whole = frame.is_whole;
  SourceFrame made{std::move(frame.function), std::move(frame.linkage_name), std::move(frame.file), frame.line,
                   frame.start_line};
  if (symbol) {
    const std::string& text = demangled(*symbol);
    const bool is_mangled = text != without_clone_suffix(symbol->name);
    if (made.function.empty() || (made.system_name.empty() && is_mangled && !is_whole)) made.function = text;
    if (made.system_name.empty() || text == made.function) made.system_name = symbol->name;
  }
  if (made.system_name.empty()) made.system_name = made.function;
  return made;
}

std::vector<SourceFrame> Module::dwarf_frames(uint64_t file_address, const std::optional<Symbol>& symbol) {
  std::vector<SourceFrame> frames;
  if (dwarf_ == nullptr) return frames;
  auto found = dwarf_->frames_at(file_address);
  frames.reserve(found.size());
  for (size_t i = 0; i + 1 < found.size(); ++i) {
    DwarfFrame& frame = found[i];
    std::string& system_name = frame.linkage_name.empty() ? frame.name : frame.linkage_name;
    frames.push_back(
        {std::move(frame.function), std::move(system_name), std::move(frame.file), frame.line, frame.start_line});
  }
  if (!found.empty()) frames.push_back(outermost_frame(std::move(found.back()), symbol));
  if (!frames.empty() && frames.back().function.empty()) frames.clear();
  return frames;
}

// Programs of Go carry a table of their own, which also those without debug information have.
std::vector<SourceFrame> Module::resolve_locked(uint64_t file_address, Effort effort) {
  load_symbols();
  load_debug_info(effort);
  if (dwarf_ == nullptr && was_dwarf_tried_) debug_file_.reset();  // it gave its symbols, and has nothing else
  const auto symbol = symbol_at(file_address);
  auto frames = dwarf_frames(file_address, symbol);
  if (frames.empty() && (resources_->options().wants_lines || !symbol))
    frames = go_frames(file_address);
  else if (!frames.empty() && dwarf_ != nullptr && frames.front().file.empty())
    place_by_go_table(file_address, frames);
  if (frames.empty() && symbol) frames.push_back({demangled(*symbol), std::string(symbol->name), std::string(symbol->file)});
  return frames.empty() ? nameless_frames(file_address) : frames;
}

std::vector<SourceFrame> Module::resolve(uint64_t file_address, Effort effort) {
  if (!has_file_) return {};
  last_use_ = resources_->next_use();
  if (jailed_ != nullptr)
    if (auto frames = jailed_->resolve(file_address, effort)) return std::move(*frames);
  return resolve_here(file_address, effort);
}

void Module::prepare(const std::vector<Wanted>& wanted, bool wants_ranges) {
  last_use_ = resources_->next_use();
  if (jailed_ != nullptr) jailed_->prepare(wanted, wants_ranges);
}

std::optional<Result<Bytes>> Module::ask_worker(std::string_view question, std::span<const std::byte> details) {
  last_use_ = resources_->next_use();
  return jailed_ == nullptr ? std::nullopt : jailed_->ask(question, details);
}

std::string Module::trouble() const { return jailed_ == nullptr ? std::string() : jailed_->trouble(); }

std::vector<SourceFrame> Module::resolve_here(uint64_t file_address, Effort effort) {
  std::vector<SourceFrame> frames;
  uint64_t new_bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    const int tables = debug_tables();
    frames = resolve_locked(file_address, effort);
    if (debug_tables() > tables)
      new_bytes = (dwarf_ != nullptr ? dwarf_->memory_bytes() : 0) + (go_ ? go_->memory_bytes() : 0);
  }
  if (new_bytes > 0) resources_->admit_debug_info(shared_from_this(), new_bytes);
  return frames;
}

uint64_t Module::same_until(uint64_t file_address) {
  const uint64_t same = std::min(symbols_->same_until(file_address), dwarf_->same_until(file_address));
  return ranges_ ? std::min(same, ranges_->same_until(file_address)) : same;
}

std::vector<ResolvedRange> Module::ranges_around(uint64_t file_address, const std::vector<SourceFrame>& frames) {
  if (jailed_ != nullptr)
    if (auto ranges = jailed_->ranges_around(file_address)) return std::move(*ranges);
  const std::lock_guard lock(mutex_);
  if (dwarf_ == nullptr || !symbols_) return {};
  std::vector<ResolvedRange> ranges{{file_address, same_until(file_address), frames}};
  const auto symbol = is_dwarf_separate_ ? symbols_->find(file_address) : std::nullopt;
  if (!symbol) return ranges;
  const uint64_t most = std::min<uint64_t>(kMostRangesAhead, dwarf_->section_bytes() / kBytesOpenedPerRange);
  const uint64_t end = symbol->address + symbol->size;
  for (uint64_t at = symbol->address; at < end && ranges_given_ < most; at = ranges.back().end, ++ranges_given_)
    ranges.push_back({at, std::min(end, same_until(at)), resolve_locked(at, Effort::Whole)});
  return ranges;
}

Result<std::string> Module::sha256() {
  const auto file = elf();
  if (file == nullptr || file->fd() < 0) return fail(ErrorCode::NotFound, path() + ": not open");
  const std::string key = cache_key();
  if (const auto kept = resources_->load(kSha256, key); kept && kept->size() == kSha256Digits)
    return std::string(reinterpret_cast<const char*>(kept->data()), kept->size());
  std::string digits = TRY(hash_file(*file));
  // Not where it was written to meanwhile.
  if (key == cache_key_of(*file)) resources_->store(kSha256, key, std::as_bytes(std::span(digits)));
  return digits;
}

}  // namespace atys::symbolize
