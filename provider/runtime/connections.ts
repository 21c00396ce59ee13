import { DEFAULTS, durationMs } from "../core/config/definition";
import type { ResolvedConfiguration } from "../core/config/resolve";
import type { FactLog } from "../core/facts";
import type { ServiceDefinition } from "../core/definition";
import { authLayer, compose, headersLayer, type Layer, type Send, timeoutLayer, userProjectLayer } from "../http/send";
import { apiClient, type ApiClient } from "../http/client";
import type { Clock } from "../http/clock";
import { tokenSource, whenTokenRefused, type TokenSource } from "../http/credentials";
import { endpointOf, type Endpoint, isInOneCloud } from "../http/endpoints";
import { pooledSend } from "../http/pool";
import type { RetryOptions } from "../http/retry";
import { traceLayer, traceSinkOf, type TraceSink } from "../http/trace";
import type { ServiceApi } from "../services/shared/resource";
import { VERSION } from "../version";

/** The parts of a provider's connections; tests pass their own. */
export interface Connectors {
  clock: Clock;
  /** Sends one request. Default: over the pool of this process. */
  send?: Send;
  /** The timer of a request. Default: the time of this machine. */
  startTimer?: Clock["alarm"];
  /** Default: from the configuration. */
  tokens?: TokenSource;
  /** Default: standard error, if `PERIMETER_LOG` is set. */
  trace?: TraceSink;
  /** Shares what resources want, have and make with the other provider processes of one run. Default: none. */
  facts?: FactLog;
  /** Removes secrets from each line of the trace. Default: no secrets are known. */
  scrub?: (text: string) => string;
  /** Whether users of the front have `pulumi import`, for messages. Default: they do. */
  canImport?: boolean;
  /** Creates the client of a service. Default: a client for the configured endpoint of the service. */
  client?: (service: ServiceDefinition) => ApiClient;
}

/** The APIs of all services, made at first use, and the credentials behind them. */
export class Connections {
  private readonly apis = new Map<ServiceDefinition, ServiceApi>();
  private readonly tokens: TokenSource;

  constructor(
    private readonly configuration: ResolvedConfiguration,
    private readonly connectors: Connectors,
  ) {
    this.tokens = connectors.tokens ?? tokenSource(configuration);
  }

  api(service: ServiceDefinition): ServiceApi {
    const known = this.apis.get(service);
    if (known) return known;
    const endpoint = endpointOf(service, this.configuration);
    const quota = endpoint.isLocal ? undefined : service.policyWritesPerMinute;
    const api: ServiceApi = {
      client: this.connectors.client?.(service) ?? this.connect(endpoint),
      policyWritesPerMinute: this.configuration.values.policyWritesPerMinute ?? quota,
      caller: async () => {
        const account = endpoint.authenticated ? await this.tokens.serviceAccount() : undefined;
        return account === undefined ? undefined : `serviceAccount:${account}`;
      },
    };
    this.apis.set(service, api);
    return api;
  }

  /** Another API in the cloud of a service; undefined if that cloud has none. */
  beside(service: ServiceDefinition, other: ServiceDefinition): ServiceApi | undefined {
    const found = this.api(other);
    return isInOneCloud(this.api(service).client.baseUrl, other, found.client.baseUrl) ? found : undefined;
  }

  /**
   * The project of the credentials; not requested if no service receives credentials.
   *
   * @throws CredentialsError if the credentials cannot be used.
   */
  async projectOfCredentials(services: readonly ServiceDefinition[]): Promise<string | undefined> {
    const used = services.some((service) => endpointOf(service, this.configuration).authenticated);
    return used ? this.tokens.project() : undefined;
  }

  private connect(endpoint: Endpoint): ApiClient {
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
      send: compose(this.connectors.send ?? pooledSend, ...layers),
      retry: this.retry(),
      whenRefused: endpoint.whenRefused,
      whenUnauthenticated: endpoint.authenticated ? whenTokenRefused(this.configuration) : undefined,
    });
  }

  private headers(): Record<string, string> {
    const { appendUserAgent, requestReason } = this.configuration.values;
    const { bun, node } = process.versions;
    const agent = `pulumi-perimeter/${VERSION} (${bun === undefined ? `node ${node}` : `bun ${bun}`})`;
    return {
      "user-agent": appendUserAgent ? `${agent} ${appendUserAgent}` : agent,
      "x-goog-api-client": `gl-node/${node} gccl/${VERSION}`,
      ...(requestReason ? { "x-goog-request-reason": requestReason } : {}),
    };
  }

  private retry(): RetryOptions {
    const { maxAttempts, maxElapsed, codes } = { ...DEFAULTS.retry, ...this.configuration.values.retry };
    return { maxAttempts, maxElapsed: durationMs(maxElapsed), codes };
  }
}
