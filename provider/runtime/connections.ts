import { DEFAULTS } from "../core/config/definition";
import { durationMs } from "../core/config/duration";
import type { ResolvedConfiguration } from "../core/config/resolve";
import type { NoteSharing } from "../core/note";
import type { ServiceDefinition } from "../core/definition";
import { authLayer } from "../http/auth";
import { apiClient, type DatedApiClient } from "../http/client";
import type { Clock } from "../http/clock";
import { tokenSource } from "../http/credentials";
import { endpointOf } from "../http/endpoints";
import { fetchSend, type Fetch } from "../http/fetch";
import { headersLayer, timeoutLayer, userProjectLayer } from "../http/layers";
import { pooledFetch } from "../http/pooled-fetch";
import type { RetryOptions } from "../http/retry";
import { compose, type Layer, type Send } from "../http/send";
import type { TokenSource } from "../http/token-source";
import { traceLayer, traceSinkOf, type TraceSink } from "../http/trace";
import { VERSION } from "../version";

/** What a provider's connections are made of; tests pass their own. */
export interface Connectors {
  clock: Clock;
  /** Default: one pooled `fetch` for the process. */
  fetch?: Fetch;
  /** Tells when a request has taken too long. Default: the time of this machine. */
  startTimer?: Clock["alarm"];
  /** Default: what the configuration asks for. */
  tokens?: TokenSource;
  /** Default: standard error, where `PERIMETER_LOG` asks for it. */
  trace?: TraceSink;
  /** Shares what resources hold and declare with the other provider processes of one run. Default: none. */
  notes?: NoteSharing;
  /** Takes what the user keeps secret out of each line of the trace. Default: no secrets are known. */
  scrub?: (text: string) => string;
  /** Whether users of the front have `pulumi import`, for messages. Default: they do. */
  canImport?: boolean;
  /** Makes the client of a service. Default: one that sends requests to where the configuration says the service is. */
  client?: (service: ServiceDefinition) => DatedApiClient;
}

/** The clients of all services, made at first use, and the credentials behind them. */
export class Connections {
  private readonly clients = new Map<ServiceDefinition, DatedApiClient>();
  private readonly tokens: TokenSource;

  constructor(
    private readonly configuration: ResolvedConfiguration,
    private readonly connectors: Connectors,
  ) {
    this.tokens = connectors.tokens ?? tokenSource(configuration);
  }

  client(service: ServiceDefinition): DatedApiClient {
    let client = this.clients.get(service);
    if (!client) {
      client = this.connectors.client?.(service) ?? this.connect(service);
      this.clients.set(service, client);
    }
    return client;
  }

  /** The project that the credentials belong to; not asked where no service would see them. */
  async projectOfCredentials(services: readonly ServiceDefinition[]): Promise<string | undefined> {
    const used = services.some((service) => endpointOf(service, this.configuration).authenticated);
    return used ? this.tokens.project() : undefined;
  }

  /** The provider's own identity towards a service, as a member of a policy; undefined where nothing says. */
  async caller(service: ServiceDefinition): Promise<string | undefined> {
    if (!endpointOf(service, this.configuration).authenticated) return undefined;
    const account = await this.tokens.serviceAccount();
    return account === undefined ? undefined : `serviceAccount:${account}`;
  }

  private connect(service: ServiceDefinition): DatedApiClient {
    const endpoint = endpointOf(service, this.configuration);
    const { values } = this.configuration;
    const trace = this.connectors.trace ?? traceSinkOf(this.configuration.environment);
    const layers: Layer[] = [
      ...(trace ? [traceLayer(trace, this.connectors.clock, this.connectors.scrub)] : []),
      timeoutLayer(durationMs(values.requestTimeout ?? DEFAULTS.requestTimeout), this.connectors.startTimer),
      headersLayer(this.headers()),
      ...(endpoint.authenticated ? [authLayer(this.tokens)] : []),
      ...(values.userProjectOverride ? [userProjectLayer(values.billingProject)] : []),
    ];
    return apiClient({
      baseUrl: endpoint.baseUrl,
      send: compose(this.send(), ...layers),
      clock: this.connectors.clock,
      retry: this.retry(),
      ...(endpoint.whenRefused === undefined ? {} : { whenRefused: endpoint.whenRefused }),
    });
  }

  private send(): Send {
    const { fetch } = this.connectors;
    if (fetch) return fetchSend(fetch);
    return (request) => fetchSend(pooledFetch())(request);
  }

  private headers(): Record<string, string> {
    const { appendUserAgent, requestReason } = this.configuration.values;
    const agent = `pulumi-perimeter/${VERSION} (node ${process.versions.node})`;
    return {
      "user-agent": appendUserAgent ? `${agent} ${appendUserAgent}` : agent,
      "x-goog-api-client": `gl-node/${process.versions.node} gccl/${VERSION}`,
      ...(requestReason ? { "x-goog-request-reason": requestReason } : {}),
    };
  }

  private retry(): RetryOptions {
    const { maxAttempts, maxElapsed, codes } = { ...DEFAULTS.retry, ...this.configuration.values.retry };
    return { maxAttempts, maxElapsed: durationMs(maxElapsed), codes };
  }
}
