import type { Codec } from "../../../core/field";
import { isRecord } from "../../../core/unknown";
import { WireShapeError } from "../../../core/wire";

/**
 * A condition of a trigger: `{code, message}` on the wire, text at the interface (spec section 2.3: a map of strings).
 * The text is `CODE: message`, or only `CODE` where there is no message. Codes are `google.rpc.Code` names, which
 * hold no colon, so the first `: ` always divides the two and neither is lost. An absent code is the enum's zero, `OK`.
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
