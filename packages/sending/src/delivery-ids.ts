import { TENANT_ID, UUID } from "@belfry/contracts/identifiers";
import { decodeQueueMessage } from "@belfry/contracts/streams";
import type { Message, MessageOutcome } from "@belfry/service/message-batch";

export type DeliveryIds =
  | { ok: true; tenantId: string; ids: string[] }
  | { ok: false; rejected: Extract<MessageOutcome, { kind: "reject" }> };

/** What a message of the deliveries' stream names: a tenant, and deliveries of it, each once. */
export function deliveryIds(message: Message): DeliveryIds {
  const tenantId = message.subject.slice(message.subject.lastIndexOf(".") + 1);
  if (!TENANT_ID.test(tenantId)) return rejected("no tenant in the subject");
  const decoded = decodeQueueMessage(message.data);
  if (decoded === undefined) return rejected("not a message of deliveries");
  const ids = [...new Set(decoded.items.map(({ id }) => id.toLowerCase()))];
  if (ids.some((id) => !UUID.test(id))) return rejected("not an id of a delivery");
  return { ok: true, tenantId, ids };
}

function rejected(reason: string): DeliveryIds {
  return { ok: false, rejected: { kind: "reject", reason } };
}
