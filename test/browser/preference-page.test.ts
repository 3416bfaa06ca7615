import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { LINK_PAGES } from "@belfry/contracts/link-pages";
import { parseLinkKeys, sealLink } from "@belfry/database/link-token";
import { eventually } from "@belfry/testing/eventually";
import { startIngest } from "../fuzz/start-ingest.ts";
import { createWorld, TENANTS } from "../realtime/gateway-under-test.ts";
import { openTab, startInboxSite } from "./inbox-page.ts";
import { openBrowser } from "./open-page.ts";
import { skip } from "./without-browser.ts";

const OWNER = { tenantId: TENANTS[0] ?? "", userId: "ann" };

test("what is saved on the hosted preference page is seen in the open panel of the bell, and the other way round", {
  skip,
}, async (t) => {
  const world = await createWorld(t);
  await world.category(OWNER.tenantId, "offers", { "": "Special offers" });
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
  const allFaults: string[] = [];
  const { page: shop, inbox } = await openTab(context, site.url, allFaults);
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
  const { page: hosted } = await openTab(context, address, allFaults);
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
  await context.close();
  assert.deepEqual(allFaults, []);
});
