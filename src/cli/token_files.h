// SPDX-License-Identifier: Apache-2.0
// The files of a controller's tokens, read again when they change: a token is replaced without a restart.
#pragma once

#include <sys/stat.h>

#include <map>
#include <string>
#include <vector>

#include "base/access.h"
#include "base/result.h"

namespace atys::cli {

class TokenFiles {
 public:
  // A file of one token, which is of this role; made, with a new token, if it is not there.
  Result<> add(const std::string& path, Role role);
  // A file of many, a line each: ROLE TOKEN [services=GLOB,…] [nodes=GLOB,…] [max-nodes=N] [windows=N] [bytes=SIZE], or
  // `certificate GLOB …`; see docs/guide/fleet-access.md.
  Result<> add_list(const std::string& path);

  Result<std::vector<Credential>> read() const;
  // Whether one of them is another than at the last call.
  bool have_changed();

 private:
  struct Seen {
    ino_t inode = 0;
    off_t size = 0;
    timespec changed = {};
    bool operator==(const Seen& other) const;
  };
  std::map<std::string, Role> single_;
  std::vector<std::string> lists_;
  std::map<std::string, Seen> seen_;
};

// The lines of such a list; errors name `path` and the line.
Result<std::vector<Credential>> parse_token_list(const std::string& text, const std::string& path);

}  // namespace atys::cli
