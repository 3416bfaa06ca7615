import { createHmac } from "node:crypto";
import type { ClaimedWebhook } from "@belfry/database/functions/claim-webhooks";
import { decryptSecret, type SecretKeys, webhookOwner } from "@belfry/database/secrets";
import { LRUCache } from "lru-cache";

const SECRET_PREFIX = "whsec_";

export interface SignedWebhook {
  /** The header `webhook-id`. */
  id: string;
  /** The header `webhook-timestamp`: whole seconds since 1970. */
  seconds: number;
  /** The bytes of the request's body; a string stands for its UTF-8. */
  body: string | Uint8Array;
  /** `whsec_` and base64, the one that is valid longest first; two while a secret rotates. */
  secrets: readonly string[];
}

/**
 * The header `webhook-signature` by the specification Standard Webhooks: for each secret
 * `v1,<base64 of HMAC-SHA256 over id.seconds.body>`, with one blank between.
 * The key is what the base64 stands for. Throws, without the secret, where one is not of its form.
 */
export function signWebhook({ id, seconds, body, secrets }: SignedWebhook): string {
  if (secrets.length === 0) throw new Error("a webhook is signed with at least one secret");
  return secrets
    .map((secret) => {
      const hmac = createHmac("sha256", webhookKey(secret));
      return `v1,${hmac.update(`${id}.${seconds}.`).update(body).digest("base64")}`;
    })
    .join(" ");
}

function webhookKey(secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : "";
  const key = Buffer.from(encoded, "base64");
  // Node skips what is not base64: a damaged secret would sign with another key and say nothing.
  if (key.length === 0 || key.toString("base64") !== encoded) {
    throw new Error("a webhook secret is whsec_ followed by base64");
  }
  return key;
}

export interface EndpointSecrets {
  /** `whsec_…`, the newest first. Rejects where one does not decrypt. */
  of(webhook: SecretsOf): Promise<string[]>;
}

type SecretsOf = Pick<ClaimedWebhook, "tenantId" | "webhookId" | "secret" | "previousSecret">;

/** Some 300 bytes each. */
const MAX_SECRETS = 10_000;

/** Decrypts each ciphertext once. It belongs to one endpoint and never changes, so it is the cache key. */
export function createEndpointSecrets(keys: SecretKeys, max = MAX_SECRETS): EndpointSecrets {
  const known = new LRUCache<string, string>({ max });
  const read = async (owner: string, ciphertext: string): Promise<string> => {
    const key = `${owner} ${ciphertext}`;
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const secret = await decryptSecret(keys, owner, ciphertext);
    known.set(key, secret);
    return secret;
  };
  return {
    of({ tenantId, webhookId, secret, previousSecret }) {
      const owner = webhookOwner(tenantId, webhookId);
      const ciphertexts = previousSecret === null ? [secret] : [secret, previousSecret];
      return Promise.all(ciphertexts.map((one) => read(owner, one)));
    },
  };
}
