// SPDX-License-Identifier: Apache-2.0
#include "verbs/flame.h"

#include <filesystem>

#include "verbs/convert.h"

namespace atys::verbs {

namespace {

// "dir/web.cpu.pb.gz" → "web.cpu.html"
std::string default_path(const std::string& reference, std::string_view extension) {
  std::string name = reference == "-" ? "flame" : std::filesystem::path(reference).filename().string();
  for (const auto& format : format::all_formats()) {
    for (const std::string_view known : format->descriptor().extensions) {
      if (name.size() > known.size() && name.ends_with(known))
        return name.substr(0, name.size() - known.size()) + std::string(extension);
    }
  }
  return name + std::string(extension);
}

}  // namespace

Result<WrittenProfile> flame(const FlameRequest& request) {
  Output output = request.output;
  if (output.path.empty()) {
    if (output.format.empty()) output.format = "html";
    const format::Format& format = *TRY(choose_format(output));
    output.path = default_path(request.profile, format.descriptor().extensions.front());
  }
  if (output.path == "-" && output.format.empty()) output.format = "html";
  auto written = convert({request.profile, request.filter, output});
  if (written.ok()) written->left_out.clear();  // a picture is expected to leave things out
  return written;
}

}  // namespace atys::verbs
