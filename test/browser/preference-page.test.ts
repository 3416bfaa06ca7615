import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { LINK_PAGES } from "@belfry/contracts/link-pages";
import { parseLinkKeys, sealLink } from "@belfry/database/link-token";
import { eventually } from "@belfry/testing/eventually";
import { startIngest } from "../fuzz/start-ingest.ts";
import { createWorld, TENANTS } from "../realtime/gateway-under-test.ts";
import { inboxOn, startInboxSite } from "./inbox-page.ts";
import { openBrowser, watchPage } from "./open-page.ts";
import { skip } from "./without-browser.ts";

const PATIENCE_MS = 60_000;
const OWNER = { tenantId: TENANTS[0] ?? "", userId: "ann" };

test("what is saved on the hosted preference page is seen in the open panel of the bell, and the other way round", {
  skip,
}, async (t) => {
  const world = await createWorld(t);
  await world.db.query(
    `insert into categories (tenant_id, key, label, description, required, default_on, position)
     values ($1, 'offers', '{"": "Special offers"}', '{}', false, true, 1)`,
    [OWNER.tenantId],
  );
  const linkKeys = `k1:${randomBytes(32).toString("base64")}`;
  const gateway = await world.startGateway();
  const ingest = await startIngest(t, { ...world.env, LINK_KEYS: linkKeys });
  const site = await startInboxSite(t, {
    wsUrl: gateway.url,
    token: async () => ({
      token: await world.token({ tenant: OWNER.tenantId, user: OWNER.userId }),
      channels: [`personal#${OWNER.userId}`],
    }),
  });
  const browser = await openBrowser(t);
  const context = await browser.newContext();
  const [shop, hosted] = [await context.newPage(), await context.newPage()];
  const allFaults: string[][] = [];
  for (const page of [shop, hosted]) {
    page.setDefaultTimeout(PATIENCE_MS);
    allFaults.push((await watchPage(page)).faults);
  }

  await shop.goto(site.url);
  const inbox = inboxOn(shop);
  await inbox.state("connected");
  await inbox.bell.click();
  await shop.getByRole("button", { name: "Preferences" }).click();
  const switched = (isOn: boolean) =>
    inbox.element.getByRole("switch", { name: "Special offers SMS", checked: isOn });
  await switched(true).waitFor();

  const link = sealLink(parseLinkKeys(linkKeys), "preferences", {
    ...{ ...OWNER, category: "*", channel: "EMAIL" },
  });
  const address = `${ingest.url}${LINK_PAGES.preferences}/${link}`;
  await hosted.goto(address);
  const box = hosted.getByRole("group", { name: "Special offers" }).getByLabel("SMS");
  await box.uncheck();
  await hosted.getByRole("button", { name: "Save" }).click();
  await hosted.getByText("Your choice is saved.").waitFor();
  await switched(false).waitFor();
  assert.equal(await inbox.element.getByRole("switch", { checked: false }).count(), 1);

  await switched(false).click();
  await switched(true).waitFor();
  // A switch shows what was pressed before it is stored.
  await eventually(async () => {
    await hosted.goto(address);
    assert.equal(await box.isChecked(), true);
  });
  assert.deepEqual(allFaults, [[], []]);
});
