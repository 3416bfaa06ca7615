/** What several commands of endpoints take. */
export interface WebhookFlags {
  tenant: string;
  webhook: string;
}

export const TENANT = ["--tenant <id>", "the tenant's id"] as const;
export const WEBHOOK = ["--webhook <id>", "the endpoint's id"] as const;
