// SPDX-License-Identifier: Apache-2.0
// Field numbers of pprof's profile.proto, and ours beside them. Numbers from 1000 on are extensions of Atys for what pprof
// has no place for; other readers skip them, as protobuf asks of them.
#pragma once

#include <cstdint>

namespace atys::format::pprof {

enum ProfileField : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kDropFrames = 7,
  kKeepFrames = 8,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
  kDefaultSampleType = 14,
  kDocUrl = 15,
  kProfileId = 1000,         // bytes
  kProfileAttribute = 1001,  // Label
  kLoss = 1002,              // 1 reason, 2 count
  kFact = 1003,              // 1 key, 2 value
  kOverhead = 1004,          // 1 CPU nanoseconds, 2 bytes
};

enum ValueTypeField : uint32_t { kType = 1, kUnit = 2 };

enum SampleField : uint32_t { kLocationId = 1, kValue = 2, kLabel = 3, kSampleTime = 1000 };

enum LabelField : uint32_t {
  kKey = 1,
  kStr = 2,
  kNum = 3,
  kNumUnit = 4,
  kLabelType = 1000,   // LabelType + 1, where str and num do not tell
  kLabelScope = 1001,  // LabelScope
  kLabelBits = 1002,   // fixed64: a double, exactly
};

enum MappingField : uint32_t {
  kMappingId = 1,
  kMemoryStart = 2,
  kMemoryLimit = 3,
  kFileOffset = 4,
  kFilename = 5,
  kBuildId = 6,
  kHasFunctions = 7,
  kHasFilenames = 8,
  kHasLineNumbers = 9,
  kHasInlineFrames = 10,
  kMappingAttribute = 1001,  // Label
};

enum LocationField : uint32_t {
  kLocId = 1,
  kLocMappingId = 2,
  kAddress = 3,
  kLine = 4,
  kIsFolded = 5,
  kFrameKind = 1000,       // string index
  kFrameAttribute = 1001,  // Label
};

enum LineField : uint32_t { kFunctionId = 1, kLineNumber = 2, kColumn = 3 };

enum FunctionField : uint32_t { kFuncId = 1, kName = 2, kSystemName = 3, kFuncFilename = 4, kStartLine = 5 };

}  // namespace atys::format::pprof
