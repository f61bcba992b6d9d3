// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/tls_files.h"

#include "base/byte_source.h"

namespace atys::fleet {

namespace {

constexpr size_t kMostBytes = size_t{1} << 20;

Result<std::string> read_pem(const std::string& path) {
  if (path.empty()) return std::string();
  const auto source = TRY(open_source(path));
  std::string text(as_text(TRY(source->read_all(kMostBytes))));
  if (text.find("-----BEGIN ") == std::string::npos)
    return fail(ErrorCode::InvalidInput, path + " is no PEM file", "it should have a line -----BEGIN …-----");
  return text;
}

}  // namespace

Result<TlsTexts> read_tls(const TlsFiles& files) {
  if (files.certificate.empty() != files.key.empty())
    return fail(ErrorCode::InvalidInput, "a certificate and its key belong together", "name both files, or neither");
  return TlsTexts{TRY(read_pem(files.authority)), TRY(read_pem(files.certificate)), TRY(read_pem(files.key))};
}

}  // namespace atys::fleet
