import { ADDRESSES } from "@belfry/contracts/addresses";
import { field, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { inboundOfTenant } from "@belfry/database/inbound";
import { Type } from "@sinclair/typebox";
import { defineRead, LOOK, optional } from "../act.ts";
import { pageFields, pageFrom, pageOf } from "../pages.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";

const PAGE_MESSAGES = 200;
const { form, read } = ADDRESSES.recipientPhone;

export const listInbound = defineRead({
  name: "sms inbound list",
  http: "GET /inbound-messages",
  access: LOOK,
  pages: true,
  summary: "A tenant's inbound text messages, newest first",
  description: "People's answers to text messages, except keywords such as STOP.",
  input: Type.Object({
    number: optional(
      field<string>({ type: "string", description: `of one sender only: ${form}` }, (value) =>
        typeof value === "string" && read(value) !== undefined ? undefined : `must be ${form}`,
      ),
    ),
    ...pageFields(PAGE_MESSAGES, PAGE_MESSAGES, (place) => UUID.test(place)),
  }),
  output: pageOf(
    Type.Object(
      {
        id: Type.String(),
        provider: Type.String({ description: "The kind of the provider that received it" }),
        sender: Type.String(),
        recipient: Type.String(),
        text: Type.String(),
        receivedAt: time("When Belfry received it"),
      },
      { title: "InboundMessage" },
    ),
  ),
  example: {
    input: {},
    output: {
      items: [
        {
          id: "0198c0de-0000-7000-8000-000000000003",
          provider: "twilio",
          sender: "+12025550123",
          recipient: "+12025550100",
          text: "Who is this?",
          receivedAt: "2026-11-20T09:30:00.000Z",
        },
      ],
    },
  },
  async run({ db, tenantId }, { number: sender, limit = PAGE_MESSAGES, after: before }) {
    await requireTenant(db, tenantId);
    const found = await inboundOfTenant(db, tenantId, { limit: limit + 1, sender, before });
    return pageFrom(found, limit, (last) => last.id);
  },
});
