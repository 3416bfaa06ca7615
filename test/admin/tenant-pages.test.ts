import assert from "node:assert/strict";
import { test } from "node:test";
import { startForOperator } from "@belfry/admin/admin-under-test";
import { openBrowser } from "../browser/open-page.ts";
import { skip } from "../browser/without-browser.ts";
import { faultsOf, MOST_MS } from "./accessible-pages.ts";
import { tenantPages } from "./admin-pages.ts";
import { sampleTenant } from "./sample-tenant.ts";
import { signedIn } from "./signed-in.ts";

test("axe finds no fault on any page of a tenant, light and dark, on a desk and on a phone; none scrolls sideways or breaks the content policy", {
  ...{ skip, timeout: MOST_MS },
}, async (t) => {
  const { admin, operator } = await startForOperator(t);
  const tenant = await sampleTenant(admin);
  const context = await signedIn(await openBrowser(t), admin.url, operator);
  const visits = Object.entries(tenantPages(tenant)).map(([name, path]) => ({
    ...{ name, context, url: admin.url + path },
  }));
  assert.deepEqual(await faultsOf(visits), []);
});
