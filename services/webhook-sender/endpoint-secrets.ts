import type { ClaimedWebhook } from "@belfry/database/functions/claim-webhooks";
import { decryptSecret, type SecretKeys, webhookOwner } from "@belfry/database/secrets";
import { LRUCache } from "lru-cache";

export interface EndpointSecrets {
  /** `whsec_…`, the newest first. Rejects where one does not decrypt. */
  of(webhook: SecretsOf): Promise<string[]>;
}

type SecretsOf = Pick<ClaimedWebhook, "tenantId" | "webhookId" | "secret" | "previousSecret">;

/** Of some 300 bytes each. */
const MAX_SECRETS = 10_000;

/** Decrypts once: a ciphertext is of one endpoint and never changes, so it is the key. */
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
