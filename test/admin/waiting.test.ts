import assert from "node:assert/strict";
import { storeWaiting } from "@belfry/admin/test/store-waiting";
import { test } from "../browser/open-page.ts";
import { faultsOf } from "./accessible-pages.ts";
import { startOperator } from "./signed-in.ts";

test("on a phone an event is moved in the reader's own time, and cancelled once asked; axe finds no fault on the way", async (t) => {
  const { admin, id, base, context, page } = await startOperator(t, { timezoneId: "Asia/Tokyo" });
  // A name that nothing breaks is as wide as the page lets it be.
  const text = "parcel.arriving".repeat(12);
  await storeWaiting(admin.pool, id, { scheduled: 1, digests: 1, held: 3, text });
  const waiting = `${base}/waiting`;
  const resting = async () => {
    const { rows } = await admin.pool.query(
      "select event_id as id, send_at as at from scheduled_events",
    );
    return rows as { id: string; at: Date }[];
  };
  const [event] = await resting();
  const move = `${waiting}/${event?.id}/move`;

  await page.setViewportSize({ width: 375, height: 800 });
  await page.goto(waiting);
  await page.getByRole("link", { name: /^Move / }).click();
  const field = page.getByLabel("New time (Asia/Tokyo)");
  const shown = await field.inputValue();
  assert.equal(
    new Date(`${shown}:00+09:00`).toISOString().slice(0, 16),
    event?.at.toISOString().slice(0, 16),
  );
  const day = new Date(Date.now() + 3 * 24 * 60 * 60_000).toISOString().slice(0, 10);
  await field.fill(`${day}T10:30`);
  await page.getByRole("button", { name: "Move" }).click();
  await page.getByText("Moved.").waitFor();
  assert.equal((await resting())[0]?.at.toISOString(), `${day}T01:30:00.000Z`);
  assert.match(String(await page.locator("#scheduled time").first().textContent()), /10:30:00/);

  const visits = [
    { name: "waiting", url: waiting },
    { name: "event", url: `${base}/activity/${event?.id}` },
    { name: "one reason", url: `${waiting}?why=quiet` },
    {
      name: "a time that is too late",
      url: move,
      async act(form: typeof page) {
        await form.getByLabel("New time").fill("2199-01-01T09:00");
        await form.getByRole("button", { name: "Move" }).click();
        await form.locator("#at-fault").waitFor();
        assert.equal(await form.getByLabel("New time").inputValue(), "2199-01-01T09:00");
      },
    },
    {
      name: "asked before cancelling",
      url: waiting,
      async act(form: typeof page) {
        await form.getByRole("button", { name: /^Cancel event/ }).click();
        await form.getByRole("dialog").waitFor();
      },
    },
  ];
  assert.deepEqual(await faultsOf(visits.map((visit) => ({ context, ...visit }))), []);

  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: /^Cancel event/ }).click();
  await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
  assert.equal((await resting()).length, 1);
  await page.getByRole("button", { name: /^Cancel event/ }).click();
  await dialog.getByRole("button", { name: "Cancel event" }).click();
  await page.getByText("Cancelled. Nothing was sent, and nothing will be.").waitFor();
  assert.deepEqual(await resting(), []);

  // The times of a search are the reader's too; its address holds the moment, so that a reload means the same.
  const anHourAgo = new Date(Math.floor(Date.now() / 60_000 - 60) * 60_000);
  const inTokyo = new Date(anHourAgo.getTime() + 9 * 60 * 60_000).toISOString().slice(0, 16);
  await page.goto(`${base}/audit`);
  await page.getByLabel("From (Asia/Tokyo)").fill(inTokyo);
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/from=/);
  assert.equal(new URL(page.url()).searchParams.get("from"), anHourAgo.toISOString());
  await page.reload();
  assert.equal(await page.getByLabel("From (Asia/Tokyo)").inputValue(), inTokyo);
  assert.equal(await page.getByText("event: cancel").count(), 1);
});
