import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdmin } from "@belfry/admin/admin-under-test";
import { openBrowser } from "../browser/open-page.ts";
import { faultsOf, MOST_MS } from "./accessible-pages.ts";
import { tenantPages } from "./admin-pages.ts";
import { pageStates } from "./page-states.ts";
import { sampleTenant } from "./sample-tenant.ts";
import { signedIn } from "./signed-in.ts";

// biome-ignore lint/style/noProcessEnv: how a machine without a browser says so
const skip = process.env.BELFRY_WITHOUT_BROWSER === "1" && "BELFRY_WITHOUT_BROWSER=1";

// One browser and one tenant for both: making them is a good part of the work.
test("the pages of a tenant, as they are and after something was done on them", {
  ...{ skip, timeout: MOST_MS },
}, async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  const tenant = await sampleTenant(admin);
  const browser = await openBrowser(t);
  const context = await signedIn(browser, admin.url, operator);

  await t.test(
    "axe finds no fault on any, light and dark, on a desk and on a phone; none scrolls sideways or breaks the content policy",
    async () => {
      const visits = Object.entries(tenantPages(tenant)).map(([name, path]) => ({
        ...{ name, context, url: admin.url + path },
      }));
      assert.deepEqual(await faultsOf(visits), []);
    },
  );

  await t.test(
    "nor where something is wrong, was just made, or is asked once more, in any look",
    async () => {
      const visits = Object.entries(pageStates(tenant)).map(([name, { path, act }]) => ({
        ...{ name, context, url: admin.url + path, act },
      }));
      assert.deepEqual(await faultsOf(visits), []);
    },
  );
});
