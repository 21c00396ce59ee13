package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// Go names a lookup LookupX, not GetX, where its package has a GetX, GetXArgs or GetXResult already: the name then belongs
// to the function that gets a resource X by its id. Only the generator's naming does this, and the schema has no setting for
// it. So, for Go only, an enum takes each lookup's result name, and the enum's file is then dropped.

// enumsFile is the file for the enums of a module.
const enumsFile = "pulumiEnums.go"

// reserveGetNames adds the enums to the schema, and returns the suffixes of their files' paths.
func reserveGetNames(spec *schema.PackageSpec) ([]string, error) {
	if spec.Types == nil {
		spec.Types = map[string]schema.ComplexTypeSpec{}
	}
	modules := map[string]bool{}
	for token := range spec.Functions {
		parts := strings.Split(token, ":")
		if len(parts) != 3 || !strings.HasPrefix(parts[2], "get") {
			continue
		}
		modules[parts[1]] = true
	}
	for token, each := range spec.Types {
		parts := strings.Split(token, ":")
		if len(parts) == 3 && len(each.Enum) > 0 && modules[parts[1]] {
			return nil, fmt.Errorf("%s is an enum in a module with lookups: its file would be dropped", token)
		}
	}
	for token := range spec.Functions {
		parts := strings.Split(token, ":")
		if len(parts) != 3 || !strings.HasPrefix(parts[2], "get") {
			continue
		}
		reserved := fmt.Sprintf("%s:%s:G%sResult", parts[0], parts[1], parts[2][1:])
		spec.Types[reserved] = schema.ComplexTypeSpec{
			ObjectTypeSpec: schema.ObjectTypeSpec{Type: "string"},
			Enum:           []schema.EnumValueSpec{{Name: "Reserved", Value: "reserved"}},
		}
	}
	var files []string
	for module := range modules {
		files = append(files, path.Join(module, enumsFile))
	}
	return files, nil
}
