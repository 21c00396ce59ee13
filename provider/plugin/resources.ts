import {
  CheckResponse,
  CreateResponse,
  DiffResponse,
  InvokeResponse,
  PropertyDiff,
  ReadResponse,
  UpdateResponse,
  type CheckRequest,
  type CreateRequest,
  type DeleteRequest,
  type DiffRequest,
  type InvokeRequest,
  type ReadRequest,
  type UpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import { changedProperties, type Diff, type PropertyChange } from "../core/diff";
import { formatPath } from "../core/problem";
import { DEFAULT_TIMEOUTS } from "../runtime/timeouts";
import { failures } from "./failures";
import { readProperties, toStruct } from "./properties";
import type { Session } from "./session";
import { ResourceRequest, typeOf } from "./resource-request";

export async function check(request: CheckRequest, session: Session): Promise<CheckResponse> {
  const news = readProperties(request.getNews(), session.secrets.texts);
  const options = { isSecret: news.secrets.isSecret, identity: request.getUrn() };
  const { inputs, problems } = await session.provider().check(typeOf(request), news.values, options);
  const filledIn = Object.entries(inputs).filter(([name]) => news.values[name] === undefined);
  session.secrets.markSettingsIn(Object.fromEntries(filledIn), news.secrets);
  const response = new CheckResponse();
  response.setInputs(toStruct(inputs, news.secrets));
  response.setFailuresList(failures([...news.problems, ...problems], news.secrets, session, "", news.values));
  return response;
}

export function diff(request: DiffRequest, session: Session): DiffResponse {
  const resource = new ResourceRequest(request, session);
  const prior = resource.prior(request.getOlds(), request.getOldInputs());
  const inputs = resource.newInputs(request.getNews(), prior.state, request.getIgnorechangesList());
  const provider = session.provider();
  const diff = provider.diff(resource.token, prior, inputs, { identity: request.getUrn() });
  if (diff.action === "update" && diff.reason !== undefined) session.log.reporter(request.getUrn()).info(diff.reason);
  const response = diffResponse(diff, Object.keys(resource.definition.inputs.shape));
  // Also where the diff replaces nothing: the user may (`replaceOnChanges`, `pulumi up --replace`).
  response.setDeletebeforereplace(provider.collides(resource.token, prior, inputs));
  return response;
}

function diffResponse(diff: Diff, inputs: readonly string[]): DiffResponse {
  const response = new DiffResponse();
  response.setHasdetaileddiff(true);
  if (diff.action === "none") {
    response.setChanges(DiffResponse.DiffChanges.DIFF_NONE);
    return response;
  }
  response.setChanges(DiffResponse.DiffChanges.DIFF_SOME);
  response.setDiffsList(changedProperties(diff.changes));
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
  const diff = new PropertyDiff();
  // Of an input, the program's values are compared, so engines show those: else an update looks like a deletion.
  diff.setInputdiff(inputs.includes(String(path[0])));
  diff.setKind(KINDS[kind][replaces ? 1 : 0]);
  return diff;
}

export async function create(request: CreateRequest, session: Session): Promise<CreateResponse> {
  const provider = session.provider();
  const resource = new ResourceRequest(request, session);
  const inputs = resource.inputs(request.getProperties());
  const response = new CreateResponse();
  if (request.getPreview()) {
    const options = session.callOptions(request.getUrn(), request.getTimeout(), DEFAULT_TIMEOUTS.lookup);
    await provider.previewCreate(resource.token, inputs, resource.secretInputs(), options);
    // No id yet: until the resource is there, the engine shows it as unknown.
    response.setProperties(resource.state(provider.plan(resource.token, inputs)));
    return response;
  }
  const options = session.callOptions(request.getUrn(), request.getTimeout(), DEFAULT_TIMEOUTS.create);
  const { id, state } = await resource.keepingState(provider.create(resource.token, inputs, options));
  response.setId(resource.publicId(id));
  response.setProperties(resource.state(state));
  return response;
}

export async function read(request: ReadRequest, session: Session): Promise<ReadResponse> {
  const resource = new ResourceRequest(request, session);
  const prior = resource.prior(request.getProperties(), request.getInputs());
  const known = resource.isKnown(prior) ? prior : undefined;
  const limits = session.callOptions(request.getUrn(), request.getTimeout(), DEFAULT_TIMEOUTS.read);
  const options = { ...limits, secret: resource.secretInputs() };
  const reading = session.provider().read(resource.token, prior.id, known, options);
  const current = await resource.keepingState(reading, prior.inputs);
  const response = new ReadResponse();
  // An empty id is how a resource that is gone is reported.
  if (!current) return response;
  response.setId(resource.publicId(current.id));
  response.setProperties(resource.state(current.state));
  response.setInputs(resource.inputsStruct(current.inputs));
  return response;
}

export async function update(request: UpdateRequest, session: Session): Promise<UpdateResponse> {
  const provider = session.provider();
  const resource = new ResourceRequest(request, session);
  const prior = resource.prior(request.getOlds(), request.getOldInputs());
  const inputs = resource.newInputs(request.getNews(), prior.state, request.getIgnorechangesList());
  const response = new UpdateResponse();
  if (request.getPreview()) {
    response.setProperties(resource.state(provider.plan(resource.token, inputs, prior)));
    return response;
  }
  const options = session.callOptions(request.getUrn(), request.getTimeout(), DEFAULT_TIMEOUTS.update);
  const updating = provider.update(resource.token, prior, inputs, options);
  response.setProperties(resource.state(await resource.keepingState(updating)));
  return response;
}

export async function remove(request: DeleteRequest, session: Session): Promise<void> {
  const resource = new ResourceRequest(request, session);
  const prior = resource.prior(request.getProperties(), request.getOldInputs());
  const options = session.callOptions(request.getUrn(), request.getTimeout(), DEFAULT_TIMEOUTS.delete);
  await session.provider().delete(resource.token, prior, options);
}

export async function invoke(request: InvokeRequest, session: Session): Promise<InvokeResponse> {
  const provider = session.provider();
  const { values, secrets, problems } = readProperties(request.getArgs(), session.secrets.texts);
  const checked = await provider.checkArguments(request.getTok(), values, secrets.isSecret);
  const response = new InvokeResponse();
  const found = [...problems, ...checked.problems];
  if (found.length > 0) {
    response.setFailuresList(failures(found, secrets, session));
    return response;
  }
  session.requireRunning();
  const options = { timeout: DEFAULT_TIMEOUTS.lookup };
  // In plain text, whatever it shows: language hosts (YAML's, for one) refuse secrets in the answer of a lookup.
  response.setReturn(toStruct(await provider.runLookup(request.getTok(), checked.inputs, options)));
  return response;
}
