import { EXAMPLE_CHANNEL, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { field, id, oneOf, orNull, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { outboxMessageById, outboxOfTenant, tenantOfOutboxMessage } from "@belfry/database/outbox";
import { Type } from "@sinclair/typebox";
import { defineRead, LOOK, optional } from "../act.ts";
import { NotFound } from "../input-error.ts";
import { pageFields, pageFrom, pageOf } from "../pages.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";

const PAGE_MESSAGES = 200;
const MESSAGE_ID = "0198c0de-0000-7000-8000-000000000002";

/** A message of a tenant that the sandbox provider kept instead of sending it. */
const Message = Type.Object(
  {
    id: Type.String(),
    eventId: Type.String(),
    channel: oneOf(PROVIDER_CHANNELS),
    to: Type.String(),
    subject: orNull(Type.String()),
    html: orNull(Type.String()),
    text: Type.String(),
    segments: orNull(Type.Integer({ description: "Segments of a text message" })),
    headers: optional(
      Type.Record(Type.String(), Type.String(), {
        description: "An email's header fields, except those for addresses and parts",
      }),
    ),
    attachments: optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          type: Type.String(),
          bytes: Type.Integer(),
          sha256: Type.String({ description: "In hex" }),
          cid: optional(Type.String({ description: "The id by which the HTML shows the file" })),
        }),
        { description: "An email's attached files" },
      ),
    ),
    createdAt: time("When the sandbox provider received it"),
  },
  { title: "OutboxMessage" },
);
const MESSAGE = {
  id: MESSAGE_ID,
  eventId: "0198c0de-0000-7000-8000-000000000001",
  channel: EXAMPLE_CHANNEL,
  to: "ann@example.com",
  subject: "Order A-1001",
  html: null,
  text: "Thank you, Ann",
  segments: null,
  createdAt: "2026-11-20T09:30:00.000Z",
};

export const listOutbox = defineRead({
  name: "outbox list",
  http: "GET /outbox",
  access: LOOK,
  pages: true,
  summary: "A tenant's sandbox messages, newest first",
  input: Type.Object({
    eventId: optional(
      field<string>(
        { type: "string", description: "of one event only, by Belfry's id" },
        (value) =>
          typeof value === "string" && UUID.test(value)
            ? undefined
            : "must be Belfry's id of an event",
      ),
    ),
    ...pageFields(PAGE_MESSAGES, PAGE_MESSAGES, (place) => UUID.test(place)),
  }),
  output: pageOf(Message),
  example: { input: {}, output: { items: [MESSAGE] } },
  flags: { eventId: "--event <id>" },
  async run({ db, tenantId }, { eventId, limit = PAGE_MESSAGES, after: before }) {
    await requireTenant(db, tenantId);
    const filter = { limit: limit + 1, eventId, before };
    const found = await outboxOfTenant(db, tenantId, filter);
    return pageFrom(found, limit, (last) => last.id);
  },
});

export const showOutboxMessage = defineRead({
  name: "outbox show",
  http: "GET /outbox/:id",
  access: LOOK,
  summary: "One sandbox message",
  input: Type.Object({ id: id({ description: "the message's id" }) }),
  output: Message,
  example: { input: { id: MESSAGE_ID }, output: MESSAGE },
  flags: { id: "<messageId>" },
  async run({ db, tenantId }, input) {
    const found = UUID.test(input.id) ? await outboxMessageById(db, input.id, tenantId) : undefined;
    if (found === undefined) throw messageNotFound(input.id);
    return found;
  },
});

/** Finds the tenant of a message by the message's id. Throws `NotFound`. */
export async function tenantOfMessage(db: Database, messageId: string): Promise<string> {
  const found = UUID.test(messageId) ? await tenantOfOutboxMessage(db, messageId) : undefined;
  if (found === undefined) throw messageNotFound(messageId);
  return found;
}

function messageNotFound(messageId: string): NotFound {
  const text = `no message in the outbox has the id ${JSON.stringify(messageId)}`;
  return new NotFound("id", text);
}
