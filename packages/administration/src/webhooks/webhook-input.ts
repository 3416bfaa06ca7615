import { textFault } from "@belfry/contracts/identifiers";
import {
  MAX_WEBHOOK_URL,
  WEBHOOK_TYPES,
  type WebhookType,
} from "@belfry/contracts/webhook-payload";
import { hostFault } from "@belfry/providers/address-guard";
import { faultAt } from "../input-error.ts";

/** The settings of an endpoint that a tenant chooses. */
interface WebhookSettings {
  url?: string | undefined;
  /** Empty: all types. */
  types?: readonly string[] | undefined;
  /** 1–255 characters; null or empty if there is none. */
  description?: string | null | undefined;
}

/** Whether endpoints may have private addresses and use plain HTTP, as in a local stack and in tests. */
interface WebhookRules {
  allowPrivateAddresses: boolean;
}

/** Returns the faults of the given settings. */
export function webhookFaults({ url, types, description }: WebhookSettings, rules: WebhookRules) {
  return [
    url === undefined ? undefined : faultAt("url", webhookUrlFault(url, rules)),
    types === undefined ? undefined : faultAt("types", typesFault(types)),
    description ? faultAt("description", textFault(description)) : undefined,
  ];
}

/** Returns the fault of an endpoint's URL. The addresses of its host are checked again at every call. */
function webhookUrlFault(text: string, rules: WebhookRules): string | undefined {
  if (text.length > MAX_WEBHOOK_URL) return `must be at most ${MAX_WEBHOOK_URL} characters`;
  // URL.parse drops these characters, so the stored URL would differ from the given one.
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) return "must not hold spaces or control characters";
  const url = URL.parse(text);
  if (url === null) return "must be a URL, as https://example.com/webhooks";
  if (url.protocol !== "https:" && !(rules.allowPrivateAddresses && url.protocol === "http:")) {
    return "must begin with https://";
  }
  if (url.username !== "" || url.password !== "") return "must not hold credentials";
  if (url.href.includes("#")) return "must not have a fragment (#)";
  if (canonicalUrl(text).length > MAX_WEBHOOK_URL) {
    return `must be at most ${MAX_WEBHOOK_URL} characters once it is percent-encoded`;
  }
  const host = url.hostname.replace(/\.$/, "");
  if (host === "" || host.split(".").includes("")) return "must be at a public host name";
  const fault = hostFault(host, rules);
  return fault === null ? undefined : fault.replace(/^must be/, "must be at");
}

/**
 * Returns the canonical spelling of a URL, so that equal URLs are one endpoint: `HTTPS://Example.com.:443` becomes
 * `https://example.com/`.
 */
export function canonicalUrl(text: string): string {
  const url = new URL(text);
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  return url.href;
}

function isWebhookType(type: string): type is WebhookType {
  return (WEBHOOK_TYPES as readonly string[]).includes(type);
}

function typesFault(types: readonly string[]): string | undefined {
  if (!types.every(isWebhookType)) return `must be of ${WEBHOOK_TYPES.join(", ")}`;
  return new Set(types).size === types.length ? undefined : "must name each type once";
}
