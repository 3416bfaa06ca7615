import assert from "node:assert/strict";
import { it } from "node:test";
import { ACCESS } from "@belfry/admin/page/access";
import { startForOperator } from "@belfry/admin/test/start-admin";
import { requestTenantDeletion } from "@belfry/administration/erasure/tenant-deletions";
import { invite } from "@belfry/administration/people/invitations";
import { makeResetLink } from "@belfry/administration/people/password-resets";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { needlessExclusions } from "@belfry/testing/needless-exclusions";
import type { BrowserContext } from "playwright-core";
import { openBrowser, test } from "../browser/open-page.ts";
import { faultsOf } from "./accessible-pages.ts";
import { emptyPages, PLATFORM_PAGES, tenantPages } from "./admin-pages.ts";
import { at, type PageState } from "./message-states.ts";
import { pageStates } from "./page-states.ts";
import { sampleFacts } from "./sample-facts.ts";
import { sampleTenant } from "./sample-tenant.ts";
import { signedIn } from "./signed-in.ts";

test("axe finds no fault on any page, in any look; none scrolls sideways or breaks the content policy", async (t) => {
  const { admin, operator } = await startForOperator(t, { facts: sampleFacts() });
  const tenant = await sampleTenant(admin);
  const person = await signedIn(t, admin.url, operator);
  const guest = await (await openBrowser(t)).newContext();
  const noFaultOn = async (context: BrowserContext, states: Record<string, PageState>) => {
    const visits = Object.entries(states).map(([name, { path, act }]) => ({
      ...{ name, context, url: admin.url + path, act },
    }));
    assert.deepEqual(await faultsOf(visits), []);
  };
  const pages = (paths: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, at(path)]));

  await t.test("of a tenant", () => noFaultOn(person, pages(tenantPages(tenant))));

  await t.test("of the platform, or of a tenant that has nothing yet", async () => {
    const { id: tenantId } = await createTenant(admin.db, { name: "Nothing Yet" });
    const { id: leaving } = await createTenant(admin.db, { name: "Leaving" });
    const actor = { personId: null, person: "Olga <olga@example.com>", address: "127.0.0.1" };
    const deletionOf = { id: leaving, typed: "Leaving" };
    await actsIn(admin.db, "", {}, actor)(requestTenantDeletion, deletionOf);
    const deletion = `/deletions/${leaving}`;
    await noFaultOn(person, pages({ ...PLATFORM_PAGES, ...emptyPages(tenantId), deletion }));
  });

  await t.test("of a guest", async () => {
    const invited = { tenantId: tenant.id, role: "owner", email: "new@example.com" } as const;
    const { token } = await invite(admin.db, { ...invited, invitedBy: null, byOperator: true });
    const { id: personId } = await admin.db
      .selectFrom("people")
      .select("id")
      .executeTakeFirstOrThrow();
    const reset = await makeResetLink(admin.db, personId, { personId: null, ownerOf: null });
    await noFaultOn(guest, {
      "sign-in": at("/sign-in"),
      join: at(`/join/${token}`),
      "join-used": at("/join/nothing"),
      reset: at(`/reset/${reset.token}`),
      "sign-in-fault": at("/sign-in", async (page) => {
        await page.getByLabel("Email address").fill("nobody@example.com");
        await page.getByLabel("Password").fill("a guess");
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("alert").waitFor();
      }),
    });
  });

  await t.test("where something is wrong, was just made, or is asked once more", () =>
    noFaultOn(person, pageStates(tenant)),
  );
}, 900_000);

/** What answers no page of ours: redirects, documents of a frame, files. */
const NO_PAGES = [
  "GET /",
  "GET /assets/*",
  "GET /preview-frame",
  // Of a provider of OpenID Connect: there is none here.
  "GET /sign-in/oidc",
  "GET /sign-in/oidc/callback",
  "GET /account/identities/connect",
  "GET /tenants/:tenantId/activity/:eventId/document",
  "GET /tenants/:tenantId/broadcasts/topics",
  "GET /tenants/:tenantId/activity/:eventId/attachments/:position",
  "GET /tenants/:tenantId/outbox/:messageId/document",
  "GET /tenants/:tenantId/templates/starter",
  "GET /tenants/:tenantId/images",
  "GET /tenants/:tenantId/templates/:templateId/preview",
  "GET /tenants/:tenantId/templates/:templateId/sample",
];

it("no page is left out of these tests: each route of the Admin UI that shows one is looked at", () => {
  const ids = { EMAIL: "e", SMS: "s", PUSH: "p" };
  const own = { id: "t", templates: ids, providerId: "p", eventId: "v", restingId: "r" };
  const endpoints = { webhookId: "w", webhookMessageId: "m" };
  const made = { digestId: "d", erasureId: "e", importId: "i", broadcastId: "b" };
  const tenant = { ...own, ...made, ...endpoints };
  const looked = [
    ...Object.values(tenantPages({ ...tenant, failedEventId: "f", outboxId: "o" })),
    ...Object.values(PLATFORM_PAGES),
    ...["/sign-in", "/join/token", "/reset/token", "/deletions/t"],
    // In two-factor.test.ts, which comes to it by a password.
    "/sign-in/code",
  ].map((path) => path.split("?")[0] ?? "");
  const leftOut = Object.keys(ACCESS)
    .filter((route) => route.startsWith("GET ") && !NO_PAGES.includes(route))
    .filter((route) => {
      const pattern = new RegExp(`^${route.slice(4).replaceAll(/:\w+|\*/g, "[^/]+")}$`);
      return !looked.some((path) => pattern.test(path));
    });
  assert.deepEqual(leftOut, []);
  assert.deepEqual(needlessExclusions(NO_PAGES, Object.keys(ACCESS)), []);
});
