import { memberGrantResource } from "../../shared/member-grant-lifecycle";
import { migrationJobIamMember as definition, migrationJob } from "./definition";

export const migrationJobIamMember = memberGrantResource(definition, migrationJob);
