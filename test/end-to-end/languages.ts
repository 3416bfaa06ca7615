import assert from "node:assert/strict";
import { test } from "node:test";
import { resendEvent } from "@belfry/administration/events/resend-event";
import { sentContent } from "@belfry/administration/events/sent-content";
import { actsIn } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { outboxOf, outcomeOf, settled } from "./outcome.ts";
import { call, type Stack, triggered } from "./stack.ts";

/** Tests of templates in several languages and of the trigger's `locale`. */
export function languageTests(stack: Stack): void {
  const [api] = stack.apiUrls;

  /** Creates templates whose text names the variant and formats a date and a number. */
  async function translate(tenantId: string, locales: readonly string[]): Promise<void> {
    const content = (locale: string) =>
      `${locale || "default"}: {{at | date: "medium", "short"}}, {{n | number}}`;
    for (const locale of ["", ...locales]) {
      const base = { tenantId, eventType: "order.confirmed", locale };
      const { db } = stack;
      await putTemplate(db, {
        ...{ ...base, channel: "EMAIL", subject: `Order ${locale}` },
        content: `<p>${content(locale)}</p>`,
      });
      await putTemplate(db, { ...base, channel: "SMS", content: content(locale) });
      await putTemplate(db, { ...base, channel: "PUSH", title: "t", content: content(locale) });
    }
  }

  /** The texts of an event on its three channels, with blanks and apostrophes normalized across ICU versions. */
  async function textsOf(tenant: { id: string; apiKey: string }, eventId: string, userId: string) {
    await outcomeOf(stack, eventId);
    const [email, sms] = await outboxOf(stack, eventId);
    const { body } = await call(`${api}/api/v1/notifications/${tenant.id}/${userId}`, {
      apiKey: tenant.apiKey,
    });
    const push = body.data.find(({ id }: { id: string }) => id === eventId);
    return [email?.text, sms?.text, push?.body].map((text) => text && plain(text));
  }

  const variables = { at: "2026-03-28T23:30:00Z", n: 1234.5 };

  test("each channel takes the template in the event's language, else in a wider one, else the default", async () => {
    const tenant = await stack.createReadyTenant({ timezone: "Europe/Vienna" });
    await translate(tenant.id, ["de", "de-CH", "he", "zh-Hant"]);
    const WRITTEN: [locale: string | undefined, stored: string | null, text: string][] = [
      [undefined, null, "default: Mar 29, 2026, 12:30 AM, 1,234.5"],
      ["de", "de", "de: 29.03.2026, 00:30, 1.234,5"],
      ["de-AT", "de-AT", "de: 29.03.2026, 00:30, 1.234,5"],
      ["DE-ch", "de-CH", "de-CH: 29.03.2026, 00:30, 1'234.5"],
      ["iw-IL", "he-IL", "he: 29 במרץ 2026, 0:30, 1,234.5"],
      ["zh-Hant-TW", "zh-Hant-TW", "zh-Hant: 2026年3月29日 凌晨12:30, 1,234.5"],
      ["zh-Hans", "zh-Hans", "default: Mar 29, 2026, 12:30 AM, 1,234.5"],
      ["fr-CA", "fr-CA", "default: Mar 29, 2026, 12:30 AM, 1,234.5"],
      ["xx-ZZ", "xx-ZZ", "default: Mar 29, 2026, 12:30 AM, 1,234.5"],
    ];
    for (const [locale, stored, text] of WRITTEN) {
      const over = { variables, ...(locale === undefined ? {} : { locale }) };
      const id = await triggered(stack, tenant.apiKey, over);
      assert.deepEqual(await textsOf(tenant, id, "user-1"), [text, text, text], locale);
      const report = await call(`${api}/api/v1/events/${id}`, { apiKey: tenant.apiKey });
      assert.equal(report.body.locale, stored);
      const shown = await sentContent(stack.db, tenant.id, id, "SMS");
      assert.ok(shown.shown && shown.content.kind === "text");
      assert.equal(plain(shown.content.text), text, "as it was sent");
    }
  });

  test("the default variant writes in the tenant's language and zone", async () => {
    const tenant = await stack.createReadyTenant({
      ...{ defaultLocale: "fr", timezone: "America/New_York" },
    });
    await translate(tenant.id, []);
    const id = await triggered(stack, tenant.apiKey, { variables, locale: "de" });
    const text = "default: 28 mars 2026, 19:30, 1 234,5";
    assert.deepEqual(await textsOf(tenant, id, "user-1"), [text, text, text]);
  });

  test("an event that is sent once more keeps its language", async () => {
    const tenant = await stack.createReadyTenant();
    await translate(tenant.id, ["de"]);
    const id = await triggered(stack, tenant.apiKey, { variables, locale: "de-AT" });
    await outcomeOf(stack, id);
    const { db, pool } = stack;
    // The sweeper publishes the event.
    const publishEvent = () => Promise.reject(new Error("no NATS"));
    const run = actsIn(db, tenant.id, { pool, publishEvent });
    const { newEvent: again } = await run(resendEvent, { id });
    await pool.query(
      "update undispatched_events set published_at = published_at - interval '1 hour' where event_id = $1",
      [again],
    );
    assert.equal((await settled(stack, again)).locale, "de-AT");
    const [, sms] = await outboxOf(stack, again);
    assert.match(sms?.text ?? "", /^de: /);
  });
}

const plain = (text: string) => text.replace(/\s/g, " ").replaceAll("’", "'");
