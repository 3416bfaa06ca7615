import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from "jose";

/** Keys for secrets at rest: the first encrypts, all decrypt. */
export interface SecretKeys {
  current: { kid: string; key: Uint8Array };
  byKid: ReadonlyMap<string, Uint8Array>;
}

/**
 * Reads `kid:base64,kid2:base64` (32 bytes each), as in `SECRETS_KEYS`. Throws an error that says
 * what is wrong and shows no key.
 */
export function parseSecretKeys(text: string): SecretKeys {
  const byKid = new Map<string, Uint8Array>();
  for (const [index, part] of text.split(",").entries()) {
    const [, kid, encoded] =
      /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(part.trim()) ?? [];
    if (kid === undefined || encoded === undefined) {
      throw new Error(`key ${index + 1} is not of the form kid:base64`);
    }
    const key = Buffer.from(encoded, "base64");
    if (key.length !== 32) throw new Error(`key ${kid} has ${key.length} bytes instead of 32`);
    if (byKid.has(kid)) throw new Error(`key id ${kid} appears twice`);
    byKid.set(kid, key);
  }
  const [first] = byKid;
  if (first === undefined) throw new Error("no key is given");
  return { current: { kid: first[0], key: first[1] }, byKid };
}

/** Encrypts for one owner: a ciphertext that is copied to another row cannot be decrypted there. */
export async function encryptSecret(keys: SecretKeys, owner: string, plaintext: string) {
  return await new CompactEncrypt(new TextEncoder().encode(plaintext))
    .setProtectedHeader({
      alg: "A256GCMKW",
      enc: "A256GCM",
      kid: keys.current.kid,
      crit: ["owner"],
      owner,
    })
    .encrypt(keys.current.key, { crit: { owner: true } });
}

/** Decrypts a secret. Throws if the key is unknown, or if the text was changed or belongs to another owner. */
export async function decryptSecret(keys: SecretKeys, owner: string, ciphertext: string) {
  const { plaintext, protectedHeader } = await compactDecrypt(
    ciphertext,
    (header) => {
      const key = keys.byKid.get(header.kid ?? "");
      if (key === undefined)
        throw new Error(`no key ${header.kid ?? "(none)"} for a secret at rest`);
      return key;
    },
    {
      keyManagementAlgorithms: ["A256GCMKW"],
      contentEncryptionAlgorithms: ["A256GCM"],
      crit: { owner: true },
    },
  );
  if (protectedHeader.owner !== owner) throw new Error("a secret at rest has another owner");
  return new TextDecoder().decode(plaintext);
}

/** Returns the id of the key that encrypted a secret at rest, or undefined if the text is no such secret. */
export function kidOf(ciphertext: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(ciphertext);
    return typeof kid === "string" ? kid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The functions below return the `owner` of each secret at rest. Encryption and decryption must use the same one, and a
 * ciphertext that is moved to another row or another tenant does not decrypt.
 */

/** Owner of `tenants.webhook_secret` and of the previous secret. */
export function webhookSecretOwner(tenantId: string): string {
  return `tenant:${tenantId}`;
}

/** Owner of `webhooks.secret` and of the previous secret. */
export function webhookOwner(tenantId: string, webhookId: string): string {
  return `webhook:${tenantId}:${webhookId}`;
}

/** Owner of `providers.settings`. */
export function providerSettingsOwner(tenantId: string, providerId: string): string {
  return `provider:${tenantId}:${providerId}`;
}

/** Owner of `devices.token`. */
export function deviceOwner(tenantId: string, id: string): string {
  return `device:${tenantId}:${id}`;
}

/** Owner of `search_key.secret`, which exists once. */
export function searchKeyOwner(): string {
  return "search";
}

/** Owner of `person_totp.secret`. */
export function totpOwner(personId: string): string {
  return `totp:${personId}`;
}
