import { randomBytes } from "node:crypto";
import { CHANNELS, channelMask } from "@belfry/contracts/channels";
import { documented, oneOf } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { type AcceptResult, acceptEvents } from "@belfry/database/functions/accept-events";
import { Type } from "@sinclair/typebox";
import { uuidv7 } from "uuidv7";
import { defineAct, note, optional, SEND } from "../act.ts";
import { invalid, NotFound } from "../input-error.ts";
import { EVENT_EXAMPLE, EXAMPLE_ID } from "./event-example.ts";
import { eventById, eventContent, usedSensitiveTemplate } from "./event-facts.ts";

const REFUSALS: Partial<Record<AcceptResult["outcome"], string>> = {
  minute: "must wait: the tenant's limit a minute is reached",
  day: "must wait: the tenant's daily cap is reached",
  attachments: "cannot be sent again: its attachments are gone",
  inactive: "cannot be sent again: the tenant is not active",
};

export const resendEvent = defineAct({
  name: "event resend",
  http: "POST /events/:id/resend",
  access: SEND,
  effect: "outside",
  summary:
    "Send an event again, as a new one with the same content and today's templates; it counts towards the tenant's limits",
  input: Type.Object({
    id: documented({ description: "Belfry's id of the event" }),
    channels: optional(
      Type.Array(oneOf(CHANNELS), { maxItems: CHANNELS.length }),
      "send it on these channels only; default: on all channels of the event",
    ),
  }),
  output: Type.Object({
    tenantId: Type.String(),
    id: Type.String(),
    newEvent: Type.String({ description: "Belfry's id of the new event" }),
  }),
  example: {
    input: { id: EXAMPLE_ID },
    output: {
      tenantId: EVENT_EXAMPLE.tenantId,
      id: EXAMPLE_ID,
      newEvent: "0198c0de-0000-7000-8000-000000000003",
    },
  },
  flags: { id: "<id>" },
  async run({ db, tenantId, services }, { id, channels: chosen }) {
    const event = UUID.test(id) ? await eventById(db, id, tenantId) : undefined;
    if (event === undefined) throw new NotFound("id", "no such event");
    if (await usedSensitiveTemplate(db, tenantId, event)) {
      const message =
        "cannot be sent again: its template is sensitive, and its variables are erased";
      throw invalid("event", message);
    }
    const { eventType, userId, reference, recipientEmail, recipientPhone } = event;
    const { locale, envelope, recipientChat } = event;
    const wanted = channelMask(chosen);
    const channels = wanted === null ? event.channels : wanted & (event.channels ?? wanted);
    if (channels === 0) throw invalid("channels", "must hold a channel of the event");
    const options = {
      channels,
      locale,
      ...(envelope && { envelope }),
      ...(recipientChat && { recipientChat }),
    };
    const newEvent = uuidv7();
    const [result] = await acceptEvents(services.pool, [
      {
        tenantId,
        // Each resend has a new random key, because a person who resends twice wants two events.
        dedupKey: randomBytes(32).toString("hex"),
        id: newEvent,
        eventType,
        userId,
        reference,
        recipientEmail,
        recipientPhone,
        variables: (await eventContent(db, tenantId, id))?.variables ?? null,
        traceId: newEvent,
        options: Object.values(options).some((value) => value !== null) ? options : null,
      },
    ]);
    const refusal = REFUSALS[result?.outcome ?? "inactive"];
    if (refusal !== undefined) throw invalid("event", refusal);
    return { output: { tenantId, id, newEvent } };
  },
  audit: ({ id, channels }, { output: { newEvent } }) =>
    note("event.resend", id, { after: { newEvent, ...(channels?.length && { channels }) } }),
  // If this fails, the sweeper publishes the event later: it is already stored.
  after: async ({ services }, _, { output: { newEvent } }) => {
    await services.publishEvent(newEvent, newEvent).catch(() => undefined);
  },
});
