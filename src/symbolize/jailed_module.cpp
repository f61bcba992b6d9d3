// SPDX-License-Identifier: Apache-2.0
#include "symbolize/jailed_module.h"

#include <fcntl.h>

#include "symbolize/debug_files.h"
#include "symbolize/jail_questions.h"
#include "symbolize/module_resources.h"

namespace atys::symbolize {

namespace {

constexpr size_t kMostPrepared = size_t{64} << 10;
constexpr size_t kAtOnce = 256;  // questions of a message: none of them waits for an answer too large to send

UniqueFd duplicate(int fd) { return UniqueFd(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

}  // namespace

uint64_t JailedModule::number() {
  const std::lock_guard lock(mutex_);
  return number_;
}

std::string JailedModule::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void JailedModule::read_less(const std::string& why) {
  const std::lock_guard lock(mutex_);
  trouble_ = why;
  reads_ = reads_ == Reads::Everything ? Reads::Symbols : Reads::Nothing;
  number_ = Jail::next_number();
}

std::optional<Result<Bytes>> JailedModule::ask(std::string_view question, std::span<const std::byte> details) {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (reads_ == Reads::Nothing) return fail(ErrorCode::Unavailable, trouble_);
      ++asked_since_forgetting_;
    }
    auto answer = jail_.ask(number(), *this, question, details);
    if (!answer || answer->ok()) return answer;
    if (answer->error().code == ErrorCode::ResourceExhausted) {
      const std::lock_guard lock(mutex_);
      trouble_ = answer->error().message;
    }
    if (answer->error().code != ErrorCode::Unavailable) return answer;
    read_less(answer->error().message);
  }
}

bool JailedModule::prepare(const std::vector<Module::Wanted>& wanted, bool wants_ranges) {
  {
    const std::lock_guard lock(mutex_);
    wants_ranges_ = wants_ranges_ || wants_ranges;
    if (prepared_.size() + wanted.size() > kMostPrepared) prepared_.clear();
  }
  for (size_t at = 0; at < wanted.size(); at += kAtOnce) {
    ResolveQuestion question{.wants_ranges = wants_ranges_, .wanted = {}};
    question.wanted.assign(wanted.begin() + static_cast<ptrdiff_t>(at),
                           wanted.begin() + static_cast<ptrdiff_t>(std::min(wanted.size(), at + kAtOnce)));
    const auto answer = ask(kResolveQuestion, encode(question));
    if (!answer) return false;
    auto answers = answer->ok() ? decode_answers(**answer) : std::nullopt;
    const std::lock_guard lock(mutex_);
    for (const Module::Wanted& one : question.wanted) prepared_[one.address] = {one.address, {}, {}};
    if (!answers) continue;
    for (ResolvedAddress& one : *answers)
      if (const auto asked = prepared_.find(one.address); asked != prepared_.end()) asked->second = std::move(one);
  }
  return true;
}

std::optional<std::vector<SourceFrame>> JailedModule::resolve(uint64_t address, Module::Effort effort) {
  for (const bool is_second : {false, true}) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = prepared_.find(address); known != prepared_.end()) return known->second.frames;
    }
    if (is_second || !prepare({{address, effort}}, false)) break;
  }
  return {};
}

// They came with the frames, and are asked for once.
std::optional<std::vector<ResolvedRange>> JailedModule::ranges_around(uint64_t address) {
  const std::lock_guard lock(mutex_);
  wants_ranges_ = true;
  const auto known = prepared_.find(address);
  if (known == prepared_.end()) return {};
  return std::exchange(known->second.ranges, {});
}

void JailedModule::forget() { jail_.forget(number()); }

void JailedModule::forget_sections() {
  {
    const std::lock_guard lock(mutex_);
    prepared_.clear();
    if (std::exchange(asked_since_forgetting_, 0) > 0) return;  // it is in use
  }
  if (module_.can_be_found_again()) forget();
}

UniqueFd JailedModule::file() {
  const auto file = module_.elf();
  return file == nullptr ? UniqueFd() : duplicate(file->fd());
}

Bytes JailedModule::description() {
  const ModuleStoreOptions& options = module_.resources_->options();
  const std::lock_guard lock(mutex_);
  JailPacker packer;
  packer.text(module_.path())
      .number(static_cast<uint8_t>(options.wants_lines && reads_ == Reads::Everything))
      .number(static_cast<uint8_t>(!module_.cache_key().empty()))
      .number(options.most_debug_bytes)
      .number(options.largest_debug_file);
  return packer.take();
}

UniqueFd JailedModule::debug_file() {
  const auto file = module_.elf();
  if (file == nullptr) return {};
  const auto found = find_debug_file(*file, module_.search());
  return found.ok() ? duplicate(found->fd()) : UniqueFd();
}

UniqueFd JailedModule::alternate_file(const DwarfInfo::AlternateLink& link) {
  const auto found = find_alternate_file(link, module_.search());
  return found.ok() ? duplicate(found->fd()) : UniqueFd();
}

std::optional<Bytes> JailedModule::load(std::string_view kind) {
  if (kind != kSymbolsKind) return {};
  return module_.resources_->load(kind, module_.cache_key());
}

void JailedModule::store(std::string_view kind, std::span<const std::byte> content) {
  const auto file = module_.elf();
  const std::string key = module_.cache_key();
  if (kind != kSymbolsKind || file == nullptr || module_.cache_key_of(*file) != key) return;
  module_.resources_->store(kind, key, content);
}

}  // namespace atys::symbolize
