import assert from "node:assert/strict";
import { test } from "node:test";
import { startForOperator } from "@belfry/admin/admin-under-test";
import { openBrowser } from "../browser/open-page.ts";
import { skip } from "../browser/without-browser.ts";
import { faultsOf, MOST_MS } from "./accessible-pages.ts";
import { pageStates } from "./page-states.ts";
import { sampleTenant } from "./sample-tenant.ts";
import { signedIn } from "./signed-in.ts";

test("axe finds no fault on a page where something is wrong, was just made, or is asked once more, in any look", {
  ...{ skip, timeout: MOST_MS },
}, async (t) => {
  const { admin, operator } = await startForOperator(t);
  const tenant = await sampleTenant(admin);
  const context = await signedIn(await openBrowser(t), admin.url, operator);
  const visits = Object.entries(pageStates(tenant)).map(([name, { path, act }]) => ({
    ...{ name, context, url: admin.url + path, act },
  }));
  assert.deepEqual(await faultsOf(visits), []);
});
