import {
  CheckResponse,
  CreateResponse,
  DiffResponse,
  InvokeResponse,
  ListResponse,
  PropertyDiff,
  ReadResponse,
  UpdateResponse,
  type CheckRequest,
  type CreateRequest,
  type DeleteRequest,
  type DiffRequest,
  type InvokeRequest,
  type ListRequest,
  type ReadRequest,
  type UpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import { changedProperties, type Diff, type PropertyChange } from "../core/diff";
import { InputError } from "../core/errors";
import { limitedPage } from "../core/listing";
import { formatPath } from "../core/problem";
import { containsUnknown, type Values } from "../core/unknown";
import { DEFAULT_TIMEOUTS } from "../http/call";
import type { CallOptions } from "../runtime/provider";
import { failures } from "./errors";
import { readProperties, toStruct } from "./properties";
import { ResourceRequest, typeOf } from "./resource-request";
import type { Limit, Session } from "./session";

/**
 * The engine's calls on resources and functions. They convert the request to plain values for the provider, and its result
 * to the response. Loaded when the provider is configured.
 */

export async function check(request: CheckRequest, session: Session): Promise<CheckResponse> {
  const { texts, scrub } = session.knownSecrets;
  const { values: given, secrets, problems } = readProperties(request.getNews(), texts);
  const options = { isSecret: secrets.isSecret, ...session.identityOf(request.getUrn()) };
  const checked = await session.provider().check(typeOf(request), given, options);
  const filledIn = Object.entries(checked.inputs).filter(([name]) => given[name] === undefined);
  session.knownSecrets.markSettingsIn(Object.fromEntries(filledIn), secrets);
  const inputs = toStruct(checked.inputs, secrets);
  const found = [...problems, ...checked.problems];
  const isNew = (request.getOlds()?.getFieldsMap().getLength() ?? 0) === 0;
  if (found.length === 0 && isNew && !session.hasProgram) {
    // `pulumi do` asks for a confirmation after this call, and makes no preview before it.
    const resource = new ResourceRequest(request, session);
    const values = resource.inputs(inputs);
    await session.run(request.getUrn(), { custom: 0, default: DEFAULT_TIMEOUTS.lookup }, (options) =>
      session.provider().previewCreate(resource.token, values, without("info", resource.hiding(options))),
    );
  }
  return new CheckResponse().setInputs(inputs).setFailuresList(failures(found, { secrets, scrub, given }));
}

export function diff(request: DiffRequest, session: Session): DiffResponse {
  const resource = new ResourceRequest(request, session);
  const prior = resource.prior(request.getOlds(), request.getOldInputs());
  const inputs = resource.newInputs(request.getNews(), prior, request.getIgnorechangesList());
  const urn = request.getUrn();
  const { diff, collides } = session.provider().compare(resource.token, prior, inputs, session.identityOf(urn));
  if (diff.action !== "none" && diff.reason !== undefined) session.log.reporter(urn).info(diff.reason);
  const response = diffResponse(diff, Object.keys(resource.definition.inputs.shape));
  // Also set when the diff replaces nothing: the user can request a replacement (`replaceOnChanges`, `pulumi up --replace`).
  return response.setDeletebeforereplace(collides);
}

export async function create(request: CreateRequest, session: Session): Promise<CreateResponse> {
  const provider = session.provider();
  const resource = new ResourceRequest(request, session);
  const inputs = resource.inputs(request.getProperties());
  const response = new CreateResponse();
  if (request.getPreview()) {
    await runPreview(resource.token, inputs, request, session, (given) => {
      const options = resource.hiding(given);
      // Without a program, the check has warned.
      return provider.previewCreate(resource.token, inputs, session.hasProgram ? options : without("warning", options));
    });
    // Without an id: the engine shows it as unknown until the resource exists.
    return response.setProperties(resource.outputsStruct(provider.plan(resource.token, inputs)));
  }
  const creating = session.run(request.getUrn(), limitOf(request, DEFAULT_TIMEOUTS.create), (options) =>
    provider.create(resource.token, inputs, resource.hiding(options)),
  );
  const { id, state } = await resource.keepIfNotReady(creating);
  return response.setId(resource.publicId(id)).setProperties(resource.outputsStruct(state));
}

export async function read(request: ReadRequest, session: Session): Promise<ReadResponse> {
  const resource = new ResourceRequest(request, session);
  const prior = resource.prior(request.getProperties(), request.getInputs());
  const known = resource.isKnown(prior) ? prior : undefined;
  const reading = session.run(request.getUrn(), limitOf(request, DEFAULT_TIMEOUTS.read), (options) =>
    session.provider().read(resource.token, prior.id, known, resource.hiding(options)),
  );
  const current = await resource.keepIfNotReady(reading, prior.inputs);
  const response = new ReadResponse();
  // An empty id tells the engine that the resource is gone.
  if (!current) return response;
  return response
    .setId(resource.publicId(current.id))
    .setProperties(resource.outputsStruct(current.state))
    .setInputs(resource.inputsStruct(current.inputs));
}

export async function update(request: UpdateRequest, session: Session): Promise<UpdateResponse> {
  const provider = session.provider();
  const resource = new ResourceRequest(request, session);
  const prior = resource.prior(request.getOlds(), request.getOldInputs());
  const inputs = resource.newInputs(request.getNews(), prior, request.getIgnorechangesList());
  const response = new UpdateResponse();
  if (request.getPreview()) {
    await runPreview(resource.token, inputs, request, session, (options) =>
      provider.previewUpdate(resource.token, prior, inputs, resource.hiding(options)),
    );
    return response.setProperties(resource.outputsStruct(provider.plan(resource.token, inputs, prior)));
  }
  const updating = session.run(request.getUrn(), limitOf(request, DEFAULT_TIMEOUTS.update), async (given) => {
    const options = resource.hiding(given);
    // The command has shown the changed inputs. No preview has named who gains and who loses access.
    if (!session.hasProgram) await provider.previewUpdate(resource.token, prior, inputs, without("info", options));
    return provider.update(resource.token, prior, inputs, options);
  });
  return response.setProperties(resource.outputsStruct(await resource.keepIfNotReady(updating)));
}

export async function remove(request: DeleteRequest, session: Session): Promise<void> {
  const resource = new ResourceRequest(request, session);
  const prior = resource.prior(request.getProperties(), request.getOldInputs());
  await session.run(request.getUrn(), limitOf(request, DEFAULT_TIMEOUTS.delete), async (given) => {
    const options = resource.hiding(given);
    const provider = session.provider();
    // `pulumi do … delete` of the CLI 3.250 sends the id alone; newer ones read the resource first.
    const isIdAlone = !session.hasProgram && !resource.isKnown(prior);
    const found = isIdAlone ? await provider.read(resource.token, prior.id, undefined, options) : prior;
    if (found) await provider.delete(resource.token, found, options);
  });
}

/** Runs a lookup, or returns all problems of its arguments. */
export async function invoke(request: InvokeRequest, session: Session): Promise<InvokeResponse> {
  const provider = session.provider();
  const { texts, scrub } = session.knownSecrets;
  const { values, secrets, problems } = readProperties(request.getArgs(), texts);
  const checked = await provider.checkArguments(request.getTok(), values, secrets.isSecret);
  const response = new InvokeResponse();
  const found = [...problems, ...checked.problems];
  if (found.length > 0) return response.setFailuresList(failures(found, { secrets, scrub }));
  session.requireRunning();
  const result = await provider.runLookup(request.getTok(), checked.inputs, { timeout: DEFAULT_TIMEOUTS.lookup });
  // No value is marked as secret, even if it contains a secret: some language hosts (such as YAML's) refuse secrets in this
  // response.
  return response.setReturn(toStruct(result));
}

/**
 * A page of the resources in the cloud. The continuation comes last, as the engine expects it.
 *
 * @throws InputError with every problem of the query.
 */
export async function list(request: ListRequest, session: Session): Promise<ListResponse[]> {
  const provider = session.provider();
  const token = request.getToken();
  const { values, secrets, problems } = readProperties(request.getQuery(), session.knownSecrets.texts);
  const checked = await provider.checkQuery(token, values, secrets.isSecret);
  const found = [...problems, ...checked.problems];
  if (found.length > 0) throw new InputError(`Cannot list ${token}`, found);
  if (containsUnknown(checked.inputs)) return [new ListResponse().setComputed(new ListResponse.Computed())];
  const wanted = {
    limit: request.getLimit(),
    pageSize: request.getPageSize(),
    continuation: request.getContinuationToken(),
  };
  const page = await session.run("", { custom: 0, default: DEFAULT_TIMEOUTS.read }, (options) =>
    limitedPage(wanted, (each) => provider.list(token, checked.inputs, each, options)),
  );
  const results = page.found.map(({ id, name }) =>
    new ListResponse().setResult(new ListResponse.Result().setId(id).setName(name)),
  );
  if (page.continuation === "") return results;
  const next = new ListResponse.Continuation().setContinuationToken(page.continuation);
  return [...results, new ListResponse().setContinuation(next)];
}

/**
 * Options without one kind of message. `pulumi do` prints information on its standard output, before the JSON that a script
 * reads there, and warnings on its standard error.
 */
function without(kind: "info" | "warning", options: CallOptions): CallOptions {
  return options.reporter ? { ...options, reporter: { ...options.reporter, [kind]: () => undefined } } : options;
}

/** Previews a change, and then reports the settings that a plan does not contain, so that a review can read them. */
async function runPreview(
  token: string,
  inputs: Values,
  request: CreateRequest | UpdateRequest,
  session: Session,
  act: (options: CallOptions) => Promise<void>,
): Promise<void> {
  try {
    await session.run(request.getUrn(), limitOf(request, DEFAULT_TIMEOUTS.lookup), act);
  } finally {
    const settings = session.provider().unplannedSettings(token, inputs);
    if (settings !== undefined) {
      // Messages that are sent at the same time may arrive in any order.
      await session.log.flushed();
      session.log.infoOnce(request.getUrn(), settings);
    }
  }
}

function limitOf(request: { getTimeout(): number }, byDefault: number): Limit {
  return { custom: request.getTimeout(), default: byDefault };
}

/**
 * A diff in the engine's form.
 *
 * @param inputs names of the resource's inputs.
 */
function diffResponse(diff: Diff, inputs: readonly string[]): DiffResponse {
  const response = new DiffResponse().setHasdetaileddiff(true);
  if (diff.action === "none") return response.setChanges(DiffResponse.DiffChanges.DIFF_NONE);
  response.setChanges(DiffResponse.DiffChanges.DIFF_SOME).setDiffsList(changedProperties(diff.changes));
  for (const change of diff.changes) {
    response.getDetaileddiffMap().set(formatPath(change.path), propertyDiff(change, inputs));
  }
  if (diff.action === "replace") {
    response.setReplacesList(changedProperties(diff.changes.filter((each) => each.replaces)));
  }
  return response;
}

const KINDS = {
  add: [PropertyDiff.Kind.ADD, PropertyDiff.Kind.ADD_REPLACE],
  update: [PropertyDiff.Kind.UPDATE, PropertyDiff.Kind.UPDATE_REPLACE],
  delete: [PropertyDiff.Kind.DELETE, PropertyDiff.Kind.DELETE_REPLACE],
} as const;

function propertyDiff({ path, kind, replaces }: PropertyChange, inputs: readonly string[]): PropertyDiff {
  // For an input, the engine then shows the program's old and new values. Without it, the engine would show an update as a
  // deletion.
  const isInput = inputs.includes(String(path[0]));
  return new PropertyDiff().setInputdiff(isInput).setKind(KINDS[kind][replaces ? 1 : 0]);
}
