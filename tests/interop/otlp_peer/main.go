// SPDX-License-Identifier: Apache-2.0

// Takes OTLP profiles through OpenTelemetry's own code: the generated protobuf bindings and the Collector's data model.
//
//	otlp_peer IN.otlp OUT.otlp.json    decodes with both, encodes with the Collector
//	otlp_peer IN.otlp.json OUT.otlp
package main

import (
	"fmt"
	"os"
	"strings"

	"go.opentelemetry.io/collector/pdata/pprofile"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"
)

func read(path string) (pprofile.Profiles, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return pprofile.Profiles{}, err
	}
	if strings.HasSuffix(path, ".json") {
		return (&pprofile.JSONUnmarshaler{}).UnmarshalProfiles(bytes)
	}
	var data profiles.ProfilesData
	if err := proto.Unmarshal(bytes, &data); err != nil {
		return pprofile.Profiles{}, fmt.Errorf("bindings: %w", err)
	}
	if unknown := data.ProtoReflect().GetUnknown(); len(unknown) > 0 {
		return pprofile.Profiles{}, fmt.Errorf("bindings: unknown fields %x", unknown)
	}
	return (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(bytes)
}

func write(data pprofile.Profiles, path string) error {
	var bytes []byte
	var err error
	if strings.HasSuffix(path, ".json") {
		bytes, err = (&pprofile.JSONMarshaler{}).MarshalProfiles(data)
	} else {
		bytes, err = (&pprofile.ProtoMarshaler{}).MarshalProfiles(data)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, bytes, 0o644)
}

func main() {
	data, err := read(os.Args[1])
	if err == nil {
		err = write(data, os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
