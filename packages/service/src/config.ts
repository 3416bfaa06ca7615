import {
  type Static,
  type TInteger,
  type TObject,
  type TSchema,
  type TString,
  Type,
} from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

// Configuration comes from environment variables only. Each is a property of a schema, with description, unit,
// default and bounds. Only this file reads the environment.

/** An error that lists all faulty variables. It has no values, because they may be secrets. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`bad configuration:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.faults = faults;
    // Operators read this error, and a stack would hide the list.
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** Returns the variables of an address to listen on: `NAME_HOST` and `NAME_PORT`. */
export function listenConfig<Name extends string>(name: Name, what: string, port: number) {
  return {
    [`${name}_HOST`]: Type.String({
      description: `Address of ${what}; 0.0.0.0 in a container`,
      minLength: 1,
      default: "127.0.0.1",
    }),
    [`${name}_PORT`]: Type.Integer({
      description: `Port of ${what}; 0 takes a free one`,
      minimum: 0,
      maximum: 65_535,
      default: port,
    }),
  } as Record<`${Name}_HOST`, TString> & Record<`${Name}_PORT`, TInteger>;
}

/** The samplers' names in OpenTelemetry. */
const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

function requireHttpUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new Error("must be an http or https URL");
  }
}

/** Throws for an unencoded `/` or `#` in a password: a part of it would become the host, and the driver would wait. */
export function requireServerUrl(text: string): void {
  // In the URL of a Unix socket, no host follows the user.
  const url = URL.parse(text) ?? URL.parse(text.replace("@/", "@localhost/"));
  const hasStrayAt = url?.username === "" && `${url.pathname}${url.hash}`.includes("@");
  if (url !== null && !hasStrayAt) return;
  throw new Error("must be a URL: in a password write # as %23, / as %2F, ? as %3F, @ as %40");
}

/** The variables that every service has. Spread them into the service's own schema. */
export const commonConfig = {
  DATABASE_URL: Type.String({
    description: "Postgres, as postgres://user:password@host:port/database",
    pattern: "^postgres(ql)?://",
    secret: true,
    parse: requireServerUrl,
  }),
  NATS_URL: Type.String({
    description: "NATS servers with JetStream, comma-separated, as nats://host:4222",
    pattern: "^(nats|tls)://[^,]+(,(nats|tls)://[^,]+)*$",
    secret: true,
    parse(text: string) {
      for (const one of text.split(",")) requireServerUrl(one);
    },
  }),
  NATS_TLS_CA_FILE: Type.String({
    description: "PEM file with the authority of the NATS servers' certificates; switches TLS on",
    default: "",
  }),
  NATS_TLS_CERT_FILE: Type.String({
    description: "PEM file with the client certificate, if the servers ask for one",
    default: "",
  }),
  NATS_TLS_KEY_FILE: Type.String({
    description: "PEM file with the key of NATS_TLS_CERT_FILE",
    default: "",
  }),
  NATS_CREDENTIALS_FILE: Type.String({
    description: "Credentials file of a NATS user (.creds), instead of a password in NATS_URL",
    default: "",
  }),
  NATS_PREFIX: Type.String({
    description:
      "Prefix of subjects and streams that keeps environments apart on one NATS: 1-32 letters, digits, _ or -",
    pattern: "^[A-Za-z0-9_-]{1,32}$",
    default: "belfry",
  }),
  NATS_REPLICAS: Type.Integer({
    description: "Replicas of each stream; 3 on a cluster of three",
    minimum: 1,
    maximum: 5,
    default: 1,
  }),
  ...listenConfig("MANAGEMENT", "health and metrics", 9090),
  LOG_LEVEL: Type.Union(
    (["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const).map((level) =>
      Type.Literal(level),
    ),
    { description: "Lowest level that is logged", default: "info" },
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.String({
    description:
      "Collector of OpenTelemetry traces, as http://collector:4318: spans go to /v1/traces below it, over OTLP/HTTP with protobuf; empty: no tracing",
    default: "",
    parse: requireHttpUrl,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: Type.String({
    description: "Headers for the collector, as name=value,name=value; values are percent-encoded",
    default: "",
    secret: true,
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: Type.Integer({
    description: "Maximum milliseconds of an export, including its retries",
    minimum: 100,
    maximum: 10_000,
    default: 3000,
  }),
  OTEL_TRACES_SAMPLER: Type.Union(
    SAMPLERS.map((sampler) => Type.Literal(sampler)),
    {
      description:
        "Sampler of traces. ingest-api decides which are recorded, and the other services follow",
      default: "parentbased_always_on",
    },
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    description: "The part of the traces that the samplers with traceidratio record",
    minimum: 0,
    maximum: 1,
    default: 1,
  }),
  SHUTDOWN_DELAY_MS: Type.Integer({
    description:
      "Milliseconds between 'not ready' and the end of intake, so that load balancers notice",
    minimum: 0,
    maximum: 120_000,
    default: 0,
  }),
  SHUTDOWN_GRACE_MS: Type.Integer({
    description: "Milliseconds between the end of intake and a forced exit",
    minimum: 100,
    maximum: 600_000,
    default: 25_000,
  }),
  STOP_WITH_PARENT: Type.Boolean({
    description: "Whether to exit when the parent process is gone (local stack, tests)",
    default: false,
  }),
};
export type CommonConfig = Static<TObject<typeof commonConfig>>;

/**
 * Reads and checks the variables of a schema. A property's `parse` throws further faults of its value. `check` finds
 * faults in the combination of variables; faulty ones are undefined there, so comparisons with them find nothing.
 * Throws one ConfigError with all faults.
 */
export function loadConfig<T extends TObject>(
  schema: T,
  // biome-ignore lint/style/noProcessEnv: the one place that reads the environment
  env: Record<string, string | undefined> = process.env,
  check: (config: Static<T>) => readonly string[] = () => [],
): Static<T> {
  const config: Record<string, unknown> = {};
  const faults: string[] = [];
  const required = new Set(schema.required ?? []);
  for (const [name, property] of Object.entries(schema.properties)) {
    const raw = env[name];
    // An empty variable counts as unset, because compose files and shells pass unset variables like that.
    if (raw === undefined || raw === "") {
      if (property.default !== undefined) config[name] = property.default;
      else if (required.has(name)) faults.push(`${name}: is required${hint(property)}`);
      continue;
    }
    const value = parse(property, raw);
    const fault = value === undefined ? kindFault(property) : valueFault(property, value);
    if (fault === undefined) config[name] = value;
    else faults.push(`${name}: ${fault}${hint(property)}`);
  }
  faults.push(...check(config as Static<T>));
  if (faults.length > 0) throw new ConfigError(faults);
  return config as Static<T>;
}

function parse(property: TSchema, raw: string): unknown {
  switch (property.type) {
    case "integer":
      return /^-?\d{1,15}$/.test(raw) ? Number(raw) : undefined;
    case "number":
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(raw) ? Number(raw) : undefined;
    case "boolean":
      return raw === "true" ? true : raw === "false" ? false : undefined;
    default:
      return raw;
  }
}

function kindFault(property: TSchema): string {
  if (property.type === "boolean") return "must be true or false";
  return property.type === "integer" ? "must be a whole number" : "must be a number";
}

function valueFault(property: TSchema, value: unknown): string | undefined {
  if (!Value.Check(property, value)) return rule(property, value);
  try {
    property.parse?.(value);
  } catch (err) {
    return (err as Error).message;
  }
}

function rule(property: TSchema, value: unknown): string {
  if (Array.isArray(property.anyOf)) {
    return `must be one of ${property.anyOf.map((choice: TSchema) => choice.const).join(", ")}`;
  }
  if (typeof value === "number") {
    const { minimum, maximum } = property;
    if (minimum !== undefined && maximum !== undefined) {
      return `must be between ${minimum} and ${maximum}`;
    }
    if (minimum !== undefined) return `must be at least ${minimum}`;
    if (maximum !== undefined) return `must be at most ${maximum}`;
  }
  if (typeof value === "string") {
    if (typeof property.minLength === "number" && value.length < property.minLength) {
      return `must be at least ${property.minLength} characters`;
    }
    if (typeof property.maxLength === "number" && value.length > property.maxLength) {
      return `must be at most ${property.maxLength} characters`;
    }
    if (property.pattern !== undefined) return `must match ${property.pattern}`;
  }
  return "is not allowed";
}

function hint(property: TSchema): string {
  return property.description === undefined ? "" : ` (${property.description})`;
}
