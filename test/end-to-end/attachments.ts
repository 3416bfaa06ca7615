import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { cancelEvents } from "@belfry/administration/events/cancel-events";
import { resendEvent } from "@belfry/administration/events/resend-event";
import { actsIn } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { createClient } from "@belfry/client";
import { settled } from "./outcome.ts";
import { type Stack, triggered } from "./stack.ts";

/** Tests of the files that mails carry. */
export function attachmentTests(stack: Stack): void {
  const filesOf = async (eventId: string) => {
    const row = await stack.db
      .selectFrom("outbox")
      .select("attachments")
      .where("event_id", "=", eventId)
      .where("channel", "=", "EMAIL")
      .executeTakeFirstOrThrow();
    return row.attachments;
  };

  test("an uploaded file leaves with its event, by itself where others are gathered, and is named again when the event is sent again", async () => {
    const tenant = await stack.createReadyTenant();
    const email = { tenantId: tenant.id, eventType: "order.confirmed", channel: "EMAIL" } as const;
    const html = '<img src="cid:logo"><p>Hello</p>';
    await putTemplate(stack.db, {
      ...{ ...email, subject: "Order", content: html, format: "html" },
      digest: { windowSeconds: 3600 },
    });
    const client = createClient({ baseUrl: stack.apiUrls[1]!, apiKey: tenant.apiKey });
    const data = randomBytes(300_000);
    const file = { name: "发票 “1”.pdf", type: "application/pdf" };
    const { id: fileId, bytes } = await client.uploadAttachment({ ...file, data });
    assert.equal(bytes, data.length);
    const id = await triggered(stack, tenant.apiKey, {
      email: { attachments: [{ id: fileId, cid: "logo" }] },
    });
    const { timeline, email: said } = await settled(stack, id);
    const told = timeline.filter(({ what }) => what.startsWith("not gathered"));
    assert.deepEqual(
      told.map(({ channel }) => channel),
      ["EMAIL"],
    );
    const sha256 = createHash("sha256").update(data).digest("hex");
    assert.equal(said?.attachments?.[0]?.sha256, sha256);
    const sent = [{ ...file, bytes: data.length, sha256, cid: "logo" }];
    assert.deepEqual(await filesOf(id), sent);
    const again = await actsIn(stack.db, tenant.id, {
      pool: stack.pool,
      publishEvent: async () => undefined,
    })(resendEvent, { id });
    const { rows } = await stack.pool.query(
      `select e.envelope, l.attachment_id as file, l.cid from events e
       join event_attachments l on l.event_id = e.id where e.id = $1`,
      [again.newEvent],
    );
    assert.deepEqual(rows, [{ envelope: said, file: fileId, cid: "logo" }]);
    // Nobody has published it: other tests wait until no event is undispatched.
    await actsIn(stack.db, tenant.id)(cancelEvents, { eventIds: [again.newEvent] });
  });
}
