// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/doors.h"

namespace atys::fleet {

CallHandlers grpc_methods(Controller& controller) {
  return {{std::string(kReportMethod),
           [&controller](const std::string& request) -> Result<std::string> {
             return encode(TRY(controller.report(TRY(decode_report(request)))));
           }},
          {std::string(kPackedMethod),
           [&controller](const std::string& request) -> Result<std::string> {
             return encode(TRY(controller.receive_packed(TRY(decode_packed(request)))));
           }},
          {std::string(kExportMethod), [&controller](const std::string& request) -> Result<std::string> {
             return encode(TRY(controller.receive(request, OtlpEncoding::Protobuf)));
           }}};
}

}  // namespace atys::fleet
