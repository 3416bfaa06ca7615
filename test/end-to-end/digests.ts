import assert from "node:assert/strict";
import { test } from "node:test";
import { listDigests, releaseDigest } from "@belfry/administration/events/digests";
import { sentContent } from "@belfry/administration/events/sent-content";
import { actsIn } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { eventually } from "@belfry/testing/eventually";
import { outboxOf, settled } from "./outcome.ts";
import { call, type Stack, triggered } from "./stack.ts";

/** Tests of digests, which collect the events of a time window. */
export function digestTests(stack: Stack): void {
  const [api] = stack.apiUrls;

  test("three comments make one mail that shows each, and what is alone in its window makes one, too", async () => {
    const eventType = "comment.posted";
    const tenant = await stack.createReadyTenant({}, { eventType });
    await putTemplate(stack.db, {
      ...{ tenantId: tenant.id, eventType, channel: "EMAIL", format: "markdown" },
      subject: "{{$count}} new comments",
      content: "{% for c in $items %}\n\n{{c.by}} says {{c.text}}\n\n{% endfor %}",
      digest: { windowSeconds: 3600 },
    });
    const comment = (by: string, userId = "user-1") =>
      triggered(stack, tenant.apiKey, {
        eventType,
        payload: { userId, recipientEmail: `${userId}@example.com` },
        variables: { by, text: `<b>${by}` },
      });
    const ids: string[] = [];
    for (const by of ["Ann", "Bob", "Cid"]) ids.push(await comment(by));
    const alone = await comment("Dan", "user-2");

    // The windows stay open until an operator releases both.
    const open = await eventually(async () => {
      const found = await actsIn(stack.db, tenant.id)(listDigests, {});
      assert.deepEqual(found.map(({ count }) => count).sort(), [1, 3]);
      return found;
    });
    for (const { id } of open) await actsIn(stack.db, tenant.id)(releaseDigest, { id });
    const reports = await Promise.all(ids.map((id) => settled(stack, id)));
    const digest = reports[0]?.channels.EMAIL?.digest;
    assert.ok(digest);
    for (const { channels, timeline } of reports) {
      assert.equal(channels.EMAIL?.status, "accepted");
      assert.deepEqual([channels.EMAIL.digest?.id, channels.EMAIL.digest?.others], [digest.id, 2]);
      const words = timeline.filter(({ channel }) => channel === "EMAIL").map(({ what }) => what);
      assert.ok(words.includes("gathered with 2 others into one message"), words.join("; "));
      assert.ok(
        words.some((what) => what.startsWith("waits: gathered until ")),
        words.join("; "),
      );
    }
    const { body } = await call(`${api}/api/v1/events/${ids[0]}`, { apiKey: tenant.apiKey });
    assert.deepEqual(body.channels.EMAIL.digest, digest, "over HTTP the same");
    const mails = await eventually(async () => {
      const found = await outboxOf(stack, digest.id);
      assert.ok(found.length > 0);
      return found;
    });
    assert.equal(mails.length, 1);
    assert.equal(mails[0]?.subject, "3 new comments");
    const shown = await sentContent(stack.db, tenant.id, ids[1] ?? "", "EMAIL");
    assert.ok(shown.shown && shown.content.kind === "email");
    for (const by of ["Ann", "Bob", "Cid"]) {
      assert.ok(shown.content.html.includes(`${by} says &lt;b&gt;${by}`), shown.content.html);
    }
    assert.equal(shown.content.text, mails[0]?.text, "as it was sent");
    // SMS and PUSH have no digest.
    assert.equal((await outboxOf(stack, ids[0] ?? "")).length, 0);

    const { channels } = await settled(stack, alone);
    const [mail] = await outboxOf(stack, channels.EMAIL?.digest?.id ?? "");
    assert.equal(mail?.subject, "1 new comments");
  });
}
