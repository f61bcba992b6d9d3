// SPDX-License-Identifier: Apache-2.0
#include "symbolize/debuginfod.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace atys::symbolize {

namespace {

using Clock = std::chrono::steady_clock;
struct Client;  // of the library

// The part of the library's interface that we call.
struct Library {
  Client* (*begin)() = nullptr;
  void (*end)(Client*) = nullptr;
  int (*find_debuginfo)(Client*, const unsigned char*, int, char**) = nullptr;
  void (*set_progressfn)(Client*, int (*)(Client*, long, long)) = nullptr;
  void (*set_user_data)(Client*, void*) = nullptr;
  void* (*get_user_data)(Client*) = nullptr;

  bool load() {
    // Never unloaded: it starts libcurl, which cannot be stopped cleanly.
    void* library = ::dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    const auto find = [library](const char* name, auto& function) {
      void* found = ::dlsym(library, name);
      std::memcpy(&function, &found, sizeof found);
      return found != nullptr;
    };
    return find("debuginfod_begin", begin) && find("debuginfod_end", end) &&
           find("debuginfod_find_debuginfo", find_debuginfo) && find("debuginfod_set_progressfn", set_progressfn) &&
           find("debuginfod_set_user_data", set_user_data) && find("debuginfod_get_user_data", get_user_data);
  }
};

const Library* loaded_library() {
  static Library library;
  static const bool kIsLoaded = library.load();
  return kIsLoaded ? &library : nullptr;
}

int stop_when_late(Client* client, long, long) {
  const auto* deadline = static_cast<const Clock::time_point*>(loaded_library()->get_user_data(client));
  return deadline != nullptr && Clock::now() > *deadline ? 1 : 0;
}

}  // namespace

Result<UniqueFd> ask_debuginfod(const std::string& build_id, int most_seconds) {
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  if (servers == nullptr || servers[0] == '\0')
    return fail(ErrorCode::Unavailable, "debuginfod: no server is named", "set DEBUGINFOD_URLS");
  const Library* library = loaded_library();
  if (library == nullptr)
    return fail(ErrorCode::Unavailable, "debuginfod: libdebuginfod.so.1 is not there", "install libdebuginfod1");
  const std::unique_ptr<Client, void (*)(Client*)> client(library->begin(), library->end);
  if (client == nullptr) return fail(ErrorCode::Unavailable, "debuginfod: the client cannot start");
  Clock::time_point deadline = Clock::now() + std::chrono::seconds(most_seconds);
  library->set_user_data(client.get(), &deadline);
  library->set_progressfn(client.get(), stop_when_late);
  // Length 0: the build id is given as text.
  const auto* id = reinterpret_cast<const unsigned char*>(build_id.c_str());
  UniqueFd fd(library->find_debuginfo(client.get(), id, 0, nullptr));
  if (!fd.is_open()) return fail(ErrorCode::NotFound, "debuginfod: no debug file of build " + build_id);
  return fd;
}

}  // namespace atys::symbolize
