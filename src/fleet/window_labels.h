// SPDX-License-Identifier: Apache-2.0
// What an agent says about a window, as attributes of its resource, by the names that OpenTelemetry has for them. Whoever
// else sends us profiles says the same, or less.
#pragma once

#include <string_view>

namespace atys::fleet {

inline constexpr std::string_view kServiceName = "service.name";
inline constexpr std::string_view kServiceVersion = "service.version";
inline constexpr std::string_view kServiceInstance = "service.instance.id";
inline constexpr std::string_view kProgramName = "process.executable.name";
inline constexpr std::string_view kHostName = "host.name";
inline constexpr std::string_view kContainerId = "container.id";
inline constexpr std::string_view kPodName = "k8s.pod.name";
inline constexpr std::string_view kNamespaceName = "k8s.namespace.name";
inline constexpr std::string_view kTaskName = "atys.task";
// Windows of one stretch are alike (adapt/frequency.h): its number (adapt/stretch.h). A change that may have
// begun in the window before has, behind kBeganMark, when it began, as milliseconds of Unix time.
inline constexpr std::string_view kStretch = "atys.stretch";
inline constexpr char kBeganMark = '-';
inline constexpr std::string_view kSender = "atys.sender";  // 32 hexadecimal digits
// The window was recorded by a clock that was off, and its times were put right (fleet/wire/shift_times.h).
inline constexpr std::string_view kClockLabel = "atys.clock";
inline constexpr std::string_view kClockShifted = "shifted";
inline constexpr std::string_view kVia = "atys.via";            // the controller that passed it on
inline constexpr std::string_view kSequence = "atys.sequence";  // from 1, without gaps, of one sender

}  // namespace atys::fleet
