// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/doors.h"

namespace atys::fleet {

namespace {

// What cannot be read never comes to the controller, and is counted all the same.
template <typename Message>
Result<Message> counted(Controller& controller, Result<Message> message) {
  if (!message.ok()) controller.count_refused_message(message.error());
  return message;
}

}  // namespace

CallHandlers grpc_methods(Controller& controller) {
  return {
      {std::string(kReportMethod),
       [&controller](const Identity& caller, const std::string& request) -> Result<std::string> {
         return encode(TRY(controller.report(TRY(counted(controller, decode_report(request))), caller)));
       }},
      {std::string(kJoinMethod),
       [&controller](const Identity& caller, const std::string& request) -> Result<std::string> {
         return encode(TRY(controller.join(TRY(counted(controller, decode_join(request))), caller)));
       }},
      {std::string(kPackedMethod),
       [&controller](const Identity& caller, const std::string& request) -> Result<std::string> {
         return encode(TRY(controller.receive_packed(TRY(counted(controller, decode_packed(request))), caller)));
       }},
      {std::string(kExportMethod), [&controller](const Identity& caller, const std::string& request) -> Result<std::string> {
         return encode(TRY(controller.receive(request, OtlpEncoding::Protobuf, caller)));
       }}};
}

}  // namespace atys::fleet
