// Written by `make generate` from tests/wire/discovery/gkehub.v1alpha.json: do not edit.
import type { ApiDescription } from "../api";
import { gkehubV1 } from "./gkehub.v1";

export const gkehubV1alpha: ApiDescription = { ...gkehubV1, version: "v1alpha" };
