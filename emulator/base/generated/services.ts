// Written by `make generate` from the documents in tests/wire/discovery/: do not edit.

/** Every API by the first label of its host name, which is also its name in seeds. */
export const SERVICES = ["apigateway","cloudresourcemanager","datamigration","eventarc","gkehub","healthcare","iam","networksecurity"] as const;

export type Service = (typeof SERVICES)[number];
