import assert from "node:assert/strict";
import { test } from "node:test";
import { firstOperatorToken } from "@belfry/administration/people/invitations";
import { PASSWORD } from "../../test/browser.ts";
import { startAdmin, startForOperator } from "../../test/start-admin.ts";

test("the first link makes the operator, once; it invites an owner, who sees one tenant and no other", async (t) => {
  const admin = await startAdmin(t);
  const first = `/join/${await firstOperatorToken(admin.db)}`;
  const operator = admin.browser();
  await operator.join(first, { email: "op@example.com", name: "Olga Operator" });
  assert.equal((await admin.browser().get(first)).status, 404, "once");
  assert.match(await operator.text("/tenants"), /No tenants yet/);
  const created = await operator.post("/tenants", {
    name: "Acme",
    perMinute: "60",
    dailyCap: "1000",
  });
  assert.equal(created.status, 303, await created.text());
  const keys = created.headers.get("location")!.split("?")[0]!;
  const firstKey = await operator.page(created);
  assert.match(firstKey, /The first key of Acme[\s\S]*id="api-key">bf_/);
  const members = keys.replace("/keys", "/members");
  assert.ok(firstKey.includes(`href="${members}"`), "the next step is its owner");
  const invited = await operator.post(`${members}/invite`, {
    email: "Owner@Example.com",
    role: "owner",
  });
  const shown = await operator.page(invited);
  const link = /http:\/\/admin\.test(\/join\/[\w-]+)/.exec(shown)?.[1];
  assert.ok(link);
  assert.doesNotMatch(shown, /href="[^"]*\/join\//, "nothing on the page opens it by a click");
  const again = await operator.post("/operators/invite", { email: "second@example.com" });
  assert.doesNotMatch(await operator.page(again), /href="[^"]*\/join\//);

  const owner = admin.browser();
  await owner.join(link, { email: "ignored@example.com", name: "Olive Owner" });
  const base = members.replace("/members", "");
  assert.equal((await owner.get("/")).headers.get("location"), base);
  assert.equal((await owner.get(base)).status, 200);
  assert.match(await owner.text(`${base}/members`), /owner@example\.com/);
  assert.equal((await owner.get("/tenants")).status, 403);
  assert.equal((await admin.browser().get(link)).status, 404, "a link works once");
});

test("signing in takes the right password, and makes a new session each time", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const first = operator.cookies.get("belfry_session");
  await operator.post("/sign-out");
  assert.equal(
    (await operator.get("/tenants")).headers.get("location"),
    "/sign-in?next=%2Ftenants",
  );
  operator.cookies.set("belfry_session", first!);
  assert.equal(
    (await operator.get("/tenants")).status,
    303,
    "the session is over, not the cookie alone",
  );

  const browser = admin.browser();
  browser.cookies.set("belfry_session", "A".repeat(43));
  const signIn = (password: string) =>
    browser.post(
      "/sign-in",
      { email: "OP@example.com", password, next: "/system" },
      { from: "/sign-in" },
    );
  assert.equal((await signIn("wrong")).status, 422);
  const done = await signIn(PASSWORD);
  assert.equal(done.headers.get("location"), "/system");
  assert.notEqual(
    browser.cookies.get("belfry_session"),
    "A".repeat(43),
    "no session is fixed from outside",
  );
  assert.match(
    done.headers.getSetCookie().join("\n"),
    /belfry_session=[\w-]{43}; .*HttpOnly; SameSite=Lax/,
  );
});
