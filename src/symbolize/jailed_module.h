// SPDX-License-Identifier: Apache-2.0
// A module whose file the worker reads: asks it, and hands it what it may have.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "symbolize/frames_codec.h"
#include "symbolize/jail.h"
#include "symbolize/module.h"

namespace atys::symbolize {

class JailedModule final : public JailSubject {
 public:
  JailedModule(Module& module, Jail& jail) : module_(module), jail_(jail) {}
  ~JailedModule() override { forget(); }
  JailedModule(const JailedModule&) = delete;
  JailedModule& operator=(const JailedModule&) = delete;

  // Nothing, of each: there is no worker here, the file is to be read by ourselves.
  std::optional<std::vector<SourceFrame>> resolve(uint64_t address, Module::Effort effort);
  std::optional<std::vector<ResolvedRange>> ranges_around(uint64_t address);
  std::optional<Result<Bytes>> ask(std::string_view question, std::span<const std::byte> details);
  bool prepare(const std::vector<Module::Wanted>& wanted, bool wants_ranges);

  // Gives up what the worker holds. It is had again when it is asked for.
  void forget();
  void forget_sections();
  std::string trouble() const;

 private:
  // How much of the file is still read: what ended a worker is not tried a second time, less is.
  enum class Reads : uint8_t { Everything, Symbols, Nothing };

  UniqueFd file() override;
  Bytes description() override;
  UniqueFd debug_file() override;
  UniqueFd alternate_file(const DwarfInfo::AlternateLink& link) override;
  std::optional<Bytes> load(std::string_view kind) override;
  void store(std::string_view kind, std::span<const std::byte> content) override;
  void read_less(const std::string& why);
  uint64_t number();

  Module& module_;
  Jail& jail_;
  mutable std::mutex mutex_;  // of all below
  uint64_t number_ = Jail::next_number();
  Reads reads_ = Reads::Everything;
  std::string trouble_;
  bool wants_ranges_ = false;
  uint64_t asked_since_forgetting_ = 0;
  std::unordered_map<uint64_t, ResolvedAddress> prepared_;
};

}  // namespace atys::symbolize
