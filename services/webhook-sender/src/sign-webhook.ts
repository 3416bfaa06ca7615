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
  /** The request's body. A string is encoded as UTF-8. */
  body: string | Uint8Array;
  /** Secrets of the form `whsec_<base64>`, newest first. There are two while a secret rotates. */
  secrets: readonly string[];
}

/**
 * Returns the header `webhook-signature` of the specification Standard Webhooks: `v1,<base64 of HMAC-SHA256 over
 * id.seconds.body>` for each secret, separated by a space. The HMAC's key is the decoded base64 of the secret. Throws
 * if a secret does not have the right form; the error does not contain the secret.
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
  // Node ignores characters that are not base64, so a damaged secret would silently sign with a wrong key.
  if (key.length === 0 || key.toString("base64") !== encoded) {
    throw new Error("a webhook secret is whsec_ followed by base64");
  }
  return key;
}

export interface EndpointSecrets {
  /** Returns an endpoint's secrets (`whsec_…`), newest first. Rejects if one cannot be decrypted. */
  of(webhook: SecretsOf): Promise<string[]>;
}

type SecretsOf = Pick<ClaimedWebhook, "tenantId" | "webhookId" | "secret" | "previousSecret">;

/** Most cached secrets, about 300 bytes each. */
const MAX_SECRETS = 10_000;

/** Returns a cache that decrypts each ciphertext once. A ciphertext never changes, so it is part of the cache key. */
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
