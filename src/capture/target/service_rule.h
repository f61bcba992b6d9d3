// SPDX-License-Identifier: Apache-2.0
// Which processes make up a service. The one matcher of the command line and of the fleet, so that both mean the same.
//
// A rule is conditions with blanks between them; all have to hold:
//   nginx             the executable's base name, the process's name or its systemd unit
//   command~REGEX     the command line, with blanks between arguments, has a part that matches (RE2)
//   exe=GLOB          the executable's path; without a slash its base name
//   cgroup=GLOB       the control group or one above it; without a leading slash from any folder on
//   env:NAME=VALUE    a variable of its environment
//   port=NUMBER       it listens there, TCP or UDP
//   user=NAME         its effective user, by name or number
//   runs=GLOB         what it runs, by its base name: the program, or the script, jar, class or module of an interpreter
//   folder=GLOB       where that is (service_program.h)
//   in=GLOB           the systemd service, the container or the control group that it is in, by name; in="": none
// A value with blanks stands in quotes: command~"python .*server".
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/target/process_facts.h"
#include "linux/process.h"

namespace re2 {
class RE2;
}

namespace atys::capture {

class ServiceRule {
 public:
  enum class Field { Name, Command, Executable, Cgroup, Environment, Port, User, Program, Folder, Place };
  struct Condition {
    Field field = Field::Name;
    std::string key;    // of an environment variable
    std::string value;  // as typed
    uint16_t port = 0;
    std::shared_ptr<const re2::RE2> pattern;  // shared: rules are copied, what is compiled does not change
  };

  // Errors name the part that is wrong and its column, from 1.
  static Result<ServiceRule> parse(std::string_view text);

  const std::string& text() const { return text_; }
  const std::vector<Condition>& conditions() const { return conditions_; }
  // The ports that the rule asks for.
  std::set<uint16_t> ports() const;

 private:
  ServiceRule() = default;
  std::string text_;
  std::vector<Condition> conditions_;
};

// Never true of ourselves.
bool matches(const ServiceRule& rule, const linux::ProcessInfo& process, ProcessFacts& facts);

// The base name of the executable, the process's name, its unit: what a bare NAME may be.
std::vector<std::string> names_of(const linux::ProcessInfo& process);

// A text as a value that stands for itself alone.
std::string exactly(std::string_view text);

// Asks this machine. Ports are read once, when first asked for, and only those that `rule` names. Ourselves are this process
// and those above it that carry the rule in their command line (a shell, sudo, a test).
std::unique_ptr<ProcessFacts> live_facts(const ServiceRule& rule);
// Without a rule: no ports.
std::unique_ptr<ProcessFacts> live_facts();

}  // namespace atys::capture
