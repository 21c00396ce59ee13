import { Api } from "../../messages/api";
import { libraryV1beta } from "../../messages/generated/library.v1beta";

/** library, an API that no cloud has. */
export const library = [new Api(libraryV1beta)];
