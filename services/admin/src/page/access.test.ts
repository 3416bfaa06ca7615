import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import fastify from "fastify";
import type { TestBrowser } from "../../test/browser.ts";
import { type AdminUnderTest, startAdmin } from "../../test/start-admin.ts";
import { ACCESS, type Access, isOfPlatform, type RouteKey, refuseUnknownRoutes } from "./access.ts";

type Who = "guest" | "stranger" | "viewer" | "editor" | "owner" | "operator";

/** People who may open a route, by its access: listed here a second time, independent of the router. */
const LET_IN: Record<Access, readonly Who[]> = {
  anyone: ["guest", "stranger", "viewer", "editor", "owner", "operator"],
  person: ["stranger", "viewer", "editor", "owner", "operator"],
  viewer: ["viewer", "editor", "owner", "operator"],
  editor: ["editor", "owner", "operator"],
  owner: ["owner", "operator"],
  operator: ["operator"],
};

const NOWHERE = "01890000-0000-7000-8000-000000000000";

test("every route of the table, and no other, lets in those whom the table names: role by route", async (t) => {
  const admin = await startAdmin(t);
  const { tenantId, people } = await peopleOfTenant(admin);
  const wrong: string[] = [];
  for (const key of Object.keys(ACCESS) as RouteKey[]) {
    // It would end the session with which the rest is asked.
    if (key === "POST /sign-out" || key === "POST /account/password") continue;
    for (const [who, browser] of Object.entries(people) as [Who, TestBrowser][]) {
      const status = await statusOf(browser, key, tenantId);
      const expected = expectedOf(key, who);
      const matches = expected === "in" ? ![401, 403].includes(status) : status === expected;
      if (!matches) wrong.push(`${key} as ${who}: ${status}, not ${expected}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("a route that is not in the table cannot be registered, and each that is, is", async (t) => {
  const bare = fastify();
  refuseUnknownRoutes(bare);
  assert.throws(
    () => bare.route({ method: "POST", url: "/secret", handler: async () => "" }),
    /POST \/secret is not in the table/,
  );
  const { app } = await startAdmin(t);
  const missing = Object.keys(ACCESS).filter((key) => {
    const [method, url] = key.split(" ") as ["GET" | "POST", string];
    return !app.hasRoute({ method, url });
  });
  assert.deepEqual(missing, []);
});

/** `in`, or the status of the refusal. */
function expectedOf(key: RouteKey, who: Who): "in" | 303 | 403 | 404 {
  const access: Access = ACCESS[key];
  if (LET_IN[access].includes(who)) return "in";
  if (who === "guest") return 303;
  // Another tenant's pages are answered as unknown, not as refused.
  return key.includes("/:tenantId") && who === "stranger" ? 404 : 403;
}

async function statusOf(browser: TestBrowser, key: RouteKey, tenantId: string): Promise<number> {
  const [method = "", pattern = ""] = key.split(" ");
  const path = pattern
    .replace(":tenantId", tenantId)
    .replaceAll(/:\w+/g, NOWHERE)
    .replace("*", "nowhere");
  if (method === "GET") {
    const response = await browser.get(path);
    // To the page of signing in, as far as only that one is meant.
    const isTurnedAway = response.headers.get("location")?.startsWith("/sign-in") === true;
    return response.status === 303 && !isTurnedAway ? 200 : response.status;
  }
  const token = await browser.token(
    browser.cookies.has("belfry_session") ? "/account" : "/sign-in",
  );
  const body = new URLSearchParams({ _token: token });
  const response = await browser.raw(path, { method: "POST", body });
  const isTurnedAway = response.headers.get("location")?.startsWith("/sign-in") === true;
  return response.status === 303 && !isTurnedAway ? 200 : response.status;
}

async function peopleOfTenant(admin: AdminUnderTest) {
  const operator = await admin.operator();
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const other = await createTenant(admin.db, { name: "Other" });
  const member = (role: "owner" | "editor" | "viewer", id: string, email: string) =>
    admin.person({ email, name: role, of: { tenantId: id, role } });
  // Two owners: taking the role from one must not be refused for being the last.
  await member("owner", tenantId, "second@example.com");
  const people: Record<Who, TestBrowser> = {
    guest: admin.browser(),
    stranger: await member("owner", other.id, "stranger@example.com"),
    viewer: await member("viewer", tenantId, "viewer@example.com"),
    editor: await member("editor", tenantId, "editor@example.com"),
    owner: await member("owner", tenantId, "owner@example.com"),
    operator,
  };
  return { tenantId, people };
}

test("of the platform there are the built-in templates, for operators alone", async (t) => {
  const admin = await startAdmin(t);
  const { people } = await peopleOfTenant(admin);
  assert.equal((await people.operator.get("/tenants/platform/templates")).status, 200);
  assert.equal((await people.owner.get("/tenants/platform/templates")).status, 404);
  assert.equal((await people.operator.get("/tenants/platform/keys")).status, 404);
  assert.ok(!isOfPlatform("GET /tenants/:tenantId/keys"));
});
