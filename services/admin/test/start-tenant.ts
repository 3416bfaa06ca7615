import type { ActServices } from "@belfry/administration/act";
import { type startAdmin, startForTenant } from "./start-admin.ts";

/** For tests of templates: the fields of one, as its forms have them. */
export const SMS = {
  eventType: "order.confirmed",
  channel: "SMS",
  content: "Order {{ id }}",
  sampleVariables: '{"id": "1"}',
};

/** For tests: the Admin UI with one tenant and its operator, and where that template of the tenant is. */
export async function startTenant(
  t: Parameters<typeof startAdmin>[0],
  services: Partial<ActServices> = {},
) {
  const { admin, operator, id: tenantId } = await startForTenant(t, { services });
  const address = { tenantId, eventType: SMS.eventType, channel: "SMS" } as const;
  return { admin, operator, tenantId, base: `/tenants/${tenantId}`, address };
}
