/**
 * The `owner` of each secret at rest (see secrets.ts): who encrypts and who decrypts must say the
 * same, and a ciphertext moved to another row or another tenant does not decrypt.
 */

/** Of `tenants.webhook_secret`, and of the one before it. */
export function webhookSecretOwner(tenantId: string): string {
  return `tenant:${tenantId}`;
}

/** Of `webhooks.secret`, and of the one before it. */
export function webhookOwner(tenantId: string, webhookId: string): string {
  return `webhook:${tenantId}:${webhookId}`;
}

/** Of `providers.settings`. */
export function providerSettingsOwner(tenantId: string, providerId: string): string {
  return `provider:${tenantId}:${providerId}`;
}

/** Of `search_key.secret`: there is one. */
export function searchKeyOwner(): string {
  return "search";
}

/** Of `person_totp.secret`. */
export function totpOwner(personId: string): string {
  return `totp:${personId}`;
}
