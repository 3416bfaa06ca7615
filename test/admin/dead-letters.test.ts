import assert from "node:assert/strict";
import { storeDeadLetters } from "@belfry/admin/test/store-dead-letters";
import { test } from "../browser/open-page.ts";
import { startOperator } from "./signed-in.ts";

test("the replay of a thousand dead letters shows its progress, and can be left and come back to", async (t) => {
  const { admin, id, base, page } = await startOperator(t);
  await storeDeadLetters(admin, id, 1200);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  // The first batch goes through; the others wait until somebody has left and come back.
  let isLeft = false;
  let posts = 0;
  await page.route("**/dead-letters/replay", async (route) => {
    posts += 1;
    if (posts > 1 && !isLeft) return;
    await route.continue();
  });

  await page.goto(`${base}/dead-letters`);
  await page.getByRole("link", { name: /^Replay 1,200 · Email/ }).click();
  await page.getByText("1,200 will be replayed.").waitFor();
  // The button works without the page's script too, in another way.
  await page.waitForLoadState();
  const bar = page.getByRole("progressbar");
  assert.equal(await bar.getAttribute("value"), "0");
  await page.getByRole("button", { name: "Replay 1,200" }).click();
  await page.getByRole("status").filter({ hasText: "500 of 1,200 are replayed …" }).waitFor();
  assert.equal(await bar.getAttribute("value"), "500");

  await page.goto(base);
  isLeft = true;
  await page.goBack();
  await page.getByText("500 of 1,200 are replayed. Continue when you like.").waitFor();
  assert.equal(await bar.getAttribute("value"), "500");
  await page.getByRole("button", { name: "Replay the other 700" }).click();
  await page.getByText("No other message has failed.").waitFor();
  const outcome = page.locator("#replay");
  await outcome.getByText("Being tried again1,200").waitFor();
  const { count } = await admin.db
    .selectFrom("deliveries")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("status", "=", "queued")
    .executeTakeFirstOrThrow();
  assert.equal(Number(count), 1200);
  // The page follows what becomes of them, without a reload.
  await admin.pool.query(
    `update deliveries set status = 'failed', reason = 'HTTP 500', settled_at = clock_timestamp(), due_at = null
     where id in (select id from deliveries limit 3)`,
  );
  await outcome.getByText("Failed again3").waitFor();
  await page.getByRole("link", { name: /^Replay 3 · Email/ }).waitFor();
  assert.deepEqual(faults, []);
});

test("a replay that the server does not answer says where it stopped, and goes on when asked", async (t) => {
  const { admin, id, base, page } = await startOperator(t);
  await storeDeadLetters(admin, id, 700);
  let posts = 0;
  await page.route("**/dead-letters/replay", async (route) => {
    posts += 1;
    await (posts === 2 ? route.abort() : route.continue());
  });
  await page.goto(`${base}/dead-letters/replay?class=transient`);
  await page.getByRole("button", { name: "Replay 700" }).click();
  await page.getByText("It stopped at 500 of 700").waitFor();
  await page.getByRole("button", { name: "Replay the rest" }).click();
  await page.locator("#replay").getByText("Being tried again700").waitFor();
});
