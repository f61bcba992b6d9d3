// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/grpc_module.h"

#include <dlfcn.h>

#include <filesystem>

namespace atys::fleet {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFile = "atys-grpc.so";

// Beside the program, as it is built, or as it is installed.
std::string find_module() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path : {folder / kFile, folder / "../lib/atys" / kFile})
    if (fs::exists(path, error)) return path.string();
  return (folder / kFile).string();
}

Result<const GrpcModule*> load() {
  const std::string path = find_module();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr)
    return fail(ErrorCode::Unsupported, std::string("cannot speak gRPC: ") + ::dlerror(),
                std::string("is ") + kFile + " beside this program, and gRPC installed?");
  const auto* module = static_cast<const GrpcModule*>(::dlsym(library, kGrpcModuleSymbol));
  if (module == nullptr || std::string_view(module->build) != ATYS_VERSION)
    return fail(ErrorCode::Unsupported, path + " is not of this release of atys", "install both together");
  return module;
}

}  // namespace

Result<std::unique_ptr<GrpcClient>> GrpcClient::create(const GrpcClientOptions& options) {
  return TRY(load())->create_client(options);
}

}  // namespace atys::fleet
