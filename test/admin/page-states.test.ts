import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdmin } from "@belfry/admin/admin-under-test";
import { openBrowser } from "../browser/open-page.ts";
import { faultsOf, MOST_MS } from "./accessible-pages.ts";
import { pageStates } from "./page-states.ts";
import { sampleTenant } from "./sample-tenant.ts";
import { signedIn } from "./signed-in.ts";

// biome-ignore lint/style/noProcessEnv: how a machine without a browser says so
const skip = process.env.BELFRY_WITHOUT_BROWSER === "1" && "BELFRY_WITHOUT_BROWSER=1";

test("axe finds no fault on a page where something is wrong, was just made, or is asked once more, in any look", {
  ...{ skip, timeout: MOST_MS },
}, async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  const tenant = await sampleTenant(admin);
  const context = await signedIn(await openBrowser(t), admin.url, operator);
  const visits = Object.entries(pageStates(tenant)).map(([name, { path, act }]) => ({
    ...{ name, context, url: admin.url + path, act },
  }));
  assert.deepEqual(await faultsOf(visits), []);
});
