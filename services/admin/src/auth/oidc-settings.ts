import { parseGroupRoles } from "@belfry/administration/people/group-roles";
import { textFault } from "@belfry/contracts/identifiers";
import { type Static, Type } from "@sinclair/typebox";

/** The variables for signing in by OpenID Connect. If `OIDC_ISSUER` is empty, people sign in by password only. */
export const oidcConfig = {
  OIDC_ISSUER: Type.String({
    description:
      "Your provider of OpenID Connect, as https://login.example.com/realm; empty: people sign in by password",
    default: "",
    parse: parseIssuer,
  }),
  OIDC_CLIENT_ID: Type.String({ description: "Belfry's id at the provider", default: "" }),
  OIDC_CLIENT_SECRET: Type.String({
    description: "Belfry's secret at the provider",
    default: "",
    secret: true,
  }),
  OIDC_NAME: Type.String({
    description: "The provider's name on the button; empty: its host",
    maxLength: 60,
    default: "",
    parse: (text: string) => throwFault(textFault(text)),
  }),
  OIDC_SCOPES: Type.String({
    description: "Scopes to request; some providers send groups only if a scope asks for them",
    pattern: "^[!-~]+( [!-~]+)*$",
    maxLength: 500,
    default: "openid email profile",
    parse: (text: string) =>
      throwFault(text.split(" ").includes("openid") ? undefined : "must have openid in it"),
  }),
  OIDC_ALLOWED_DOMAINS: Type.String({
    description:
      "Domains, comma-separated, whose verified addresses find or make their person; empty: nobody's do",
    default: "",
    parse: parseDomains,
  }),
  OIDC_GROUPS_CLAIM: Type.String({
    description: "The claim that lists a person's groups",
    minLength: 1,
    maxLength: 100,
    default: "groups",
  }),
  OIDC_ROLES: Type.String({
    description: 'What groups give, as [{"group": "…", "tenantId": "…", "role": "editor"}]',
    default: "",
    parse: parseGroupRoles,
  }),
  OIDC_ALLOW_HTTP_ON_LOOPBACK: Type.Boolean({
    description: "The provider may speak http on this very machine: tests and trials only",
    default: false,
  }),
};

type OidcConfig = Static<ReturnType<typeof Type.Object<typeof oidcConfig>>> & {
  ADMIN_BASE_URL: string;
};

/** The checked settings. */
export type OidcSettings = NonNullable<ReturnType<typeof oidcSettings>>;

/** Timeout in ms for one answer of the provider. */
const TIMEOUT_MS = 10_000;

/** Returns the settings; undefined if there is no issuer. */
export function oidcSettings(config: OidcConfig) {
  if (config.OIDC_ISSUER === "") return undefined;
  return {
    issuer: config.OIDC_ISSUER,
    clientId: config.OIDC_CLIENT_ID,
    clientSecret: config.OIDC_CLIENT_SECRET,
    /** The provider's name on the button "Sign in with …". */
    name: config.OIDC_NAME === "" ? new URL(config.OIDC_ISSUER).hostname : config.OIDC_NAME,
    scopes: config.OIDC_SCOPES,
    /** Domains of email addresses, in lower case. */
    allowedDomains: parseDomains(config.OIDC_ALLOWED_DOMAINS),
    groupsClaim: config.OIDC_GROUPS_CLAIM,
    groupRoles: parseGroupRoles(config.OIDC_ROLES),
    allowHttpOnLoopback: config.OIDC_ALLOW_HTTP_ON_LOOPBACK,
    timeoutMs: TIMEOUT_MS,
  };
}

/** Returns the faults that concern several variables together. */
export function oidcFaults(config: Partial<OidcConfig>): string[] {
  const faults: string[] = [];
  // Http is allowed for trials on one machine only, so not for an installation that people reach by https.
  if (config.OIDC_ALLOW_HTTP_ON_LOOPBACK && config.ADMIN_BASE_URL?.startsWith("https:")) {
    faults.push("OIDC_ALLOW_HTTP_ON_LOOPBACK: is for trials, where ADMIN_BASE_URL is http");
  }
  if (!config.OIDC_ISSUER) return faults;
  if (config.OIDC_ISSUER.startsWith("http:") && !config.OIDC_ALLOW_HTTP_ON_LOOPBACK) {
    faults.push("OIDC_ISSUER: must begin with https://");
  }
  for (const name of ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const) {
    if (config[name] === "") faults.push(`${name}: is required with OIDC_ISSUER`);
  }
  return faults;
}

function parseIssuer(text: string): void {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" && isLoopback(url.hostname);
  if (url === null || !(url.protocol === "https:" || isHttp)) {
    throw new Error("must be an address that begins with https://");
  }
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new Error("must be an address without a query, a fragment, a user or a password");
  }
}

const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

function parseDomains(text: string): string[] {
  const domains = text
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== "");
  const odd = domains.find((one) => !DOMAIN.test(one));
  if (odd === undefined) return domains;
  throw new Error(
    `${JSON.stringify(odd)} is no domain such as example.com (each sub-domain is named; in ASCII)`,
  );
}

function throwFault(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(fault);
}

/** Whether a URL's host is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
