import type { Codec } from "../../../core/field";
import { isRecord } from "../../../core/unknown";
import { WireShapeError } from "../../../core/wire";

/**
 * A condition of a trigger: `{code, message}` in the API, a string in the program (spec section 2.3: a map of strings). The
 * string is `CODE: message`, or only `CODE` without a message. Codes are `google.rpc.Code` names, which contain no colon, so
 * the first `: ` always separates code and message. An absent code is the enum's zero, `OK`.
 */
export const conditionText: Codec = {
  fromWire(value) {
    if (!isRecord(value)) throw new WireShapeError("conditions", "a map of objects");
    const code = typeof value.code === "string" && value.code !== "" ? value.code : "OK";
    const message = typeof value.message === "string" ? value.message : "";
    return message === "" ? code : `${code}: ${message}`;
  },
  toWire(value) {
    const text = String(value);
    const divider = text.indexOf(": ");
    return divider < 0 ? { code: text } : { code: text.slice(0, divider), message: text.slice(divider + 2) };
  },
};
