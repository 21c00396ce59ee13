import type { z } from "zod";
import type { Documentation, LookupDefinition } from "../../core/definition";
import type { Values } from "../../core/unknown";
import { fromWire } from "../../core/wire";
import type { Call } from "../../http/call";
import { named } from "../../http/client";
import type { LifecycleContext } from "./resource";

/** A lookup of any definition. */
export interface Lookup {
  readonly definition: LookupDefinition;
  /** The action, as an infinitive before the name of the resource: "look up the trigger". */
  readonly doing: string;
  /** How long an equal lookup may still join: until the request is sent, or until the answer arrives. */
  readonly joinUntil: "sent" | "answered";
  /**
   * Sends reads only.
   *
   * @param args that have passed the check against the definition
   */
  run(context: LifecycleContext, args: Values, call: Call): Promise<Values>;
}

/** A schema of arguments with a string for each variable of the resource's name. */
type ArgsNaming<V extends string> = z.ZodObject & z.ZodType<Record<V, string>>;

/**
 * A lookup that is one GET of the resource.
 *
 * @param kind with its article, for messages: "the trigger".
 */
export function resourceLookup<V extends string, A extends ArgsNaming<V>, R extends z.ZodObject>(
  definition: LookupDefinition<A, R, V>,
  kind: string,
): Lookup {
  const doing = `look up ${kind}`;
  const run = async (context: LifecycleContext, args: z.infer<A>, call: Call) => {
    const name = definition.resource.format(args);
    const { client } = context.api(definition.service);
    // Awaited here, so that the stack of an error names the lookup.
    return await client.request({ kind: "read", method: "GET", path: name, doing }, call, (answer) =>
      fromWire(definition.result, named(answer)),
    );
  };
  return { definition, doing, joinUntil: "answered", run };
}

/**
 * The specific errors of every lookup, and its permissions.
 *
 * @param kind with its article: "the trigger".
 */
export function lookupDocumentation(kind: string, permission: string): Omit<Documentation, "examples"> {
  return {
    guide: { title: "Absent values", file: "absent-values.md" },
    permissions: [{ permission, on: kind, for: "each call" }],
    errors: [
      {
        code: "INPUT",
        when: "an argument is missing, misspelled or invalid, or no project is known",
        remedy: "Change the argument that the message names. Nothing was sent.",
      },
      {
        code: "API",
        status: "NOT_FOUND",
        when: `${kind} does not exist`,
        remedy: "Check the project, location and id in the message.",
      },
      {
        code: "API",
        status: "PERMISSION_DENIED",
        when: `the caller lacks \`${permission}\` on ${kind}, or the API is not enabled in the project`,
        remedy:
          "Grant the permission, or open the link in the message to enable the API. A caller without the permission " +
          "does not learn whether the resource exists.",
      },
      {
        code: "BAD_ANSWER",
        when: "a server other than the API responded, such as a proxy",
        remedy: "Check proxies between this machine and the API, and custom endpoints.",
      },
    ],
  };
}
