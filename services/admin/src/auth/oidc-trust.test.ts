import assert from "node:assert/strict";
import { test } from "node:test";
import { createBrowser } from "../../test/browser.ts";
import { type ProviderUnderTest, signInAt, startProvider } from "../../test/oidc-provider.ts";
import { startAdmin } from "../../test/start-admin.ts";

/** A person who may sign in only by a correct answer of the right provider to the right browser. */

const ANN = { sub: "ann-1", email: "ann@acme.com", email_verified: true, name: "Ann" };

async function stage(t: Parameters<typeof startAdmin>[0], lines: string[] = []) {
  const provider = await startProvider(t);
  const log = { write: (line: string) => void lines.push(line) };
  const admin = await startAdmin(t, { config: { oidc: provider.settings() }, log });
  await admin.person({ email: "ann@acme.com", name: "Ann" });
  const sessions = async () =>
    Number(
      (await admin.pool.query("select count(*) from sessions where address <> '192.0.2.1'")).rows[0]
        .count,
    );
  return { provider, admin, sessions };
}

type Change = ProviderUnderTest["change"];
const seconds = (from: number) => Math.floor(Date.now() / 1000) + from;

test("an ID token is taken from the right key, issuer, client, sign-in and time alone; nothing secret is logged", async (t) => {
  const lines: string[] = [];
  const { provider, admin, sessions } = await stage(t, lines);
  const wrong: Record<string, Change> = {
    "another key": (claims) => ({ claims, by: "another key" }),
    "no signature": (claims) => ({ claims, by: "none" }),
    "the client's secret": (claims) => ({ claims, by: "the client's secret" }),
    "another issuer": (claims) => ({ claims: { ...claims, iss: "https://evil.example" } }),
    "another client": (claims) => ({ claims: { ...claims, aud: "somebody" } }),
    "several, and for another": (claims) => ({
      claims: { ...claims, aud: ["belfry", "somebody"], azp: "somebody" },
    }),
    "another sign-in": (claims) => ({ claims: { ...claims, nonce: "another" } }),
    "no sign-in": ({ nonce: _, ...claims }) => ({ claims }),
    "ended ten minutes ago": (claims) => ({ claims: { ...claims, exp: seconds(-600) } }),
    "begins in ten minutes": (claims) => ({ claims: { ...claims, nbf: seconds(600) } }),
    nobody: ({ sub: _, ...claims }) => ({ claims }),
    "an odd somebody": (claims) => ({ claims: { ...claims, sub: "a\u0000b" } }),
    "a long somebody": (claims) => ({ claims: { ...claims, sub: "x".repeat(256) } }),
  };
  for (const [what, change] of Object.entries(wrong)) {
    provider.change = change;
    const { answer, browser } = await signInAt(admin.url, provider, ANN);
    assert.equal(answer.status, 403, what);
    const html = await answer.text();
    assert.match(html, /role="alert">The response of Acme Login could not be verified/, what);
    assert.match(html, /href="\/sign-in\/oidc\?next=/, "and a way back");
    assert.equal((await browser.get("/account")).status, 303, what);
  }
  assert.equal(await sessions(), 0);
  const skewed: Record<string, Change> = {
    "20 s slow": (claims) => ({
      claims: { ...claims, exp: seconds(-20), iat: seconds(-100) },
    }),
    "20 s fast": (claims) => ({ claims: { ...claims, iat: seconds(20), nbf: seconds(20) } }),
  };
  for (const [what, change] of Object.entries(skewed)) {
    provider.change = change;
    assert.equal((await signInAt(admin.url, provider, ANN)).answer.status, 303, what);
  }
  const log = lines.join("");
  assert.match(log, /"reason":"untrusted"/);
  const { clientSecret } = provider.settings();
  for (const secret of [clientSecret, encodeURIComponent(clientSecret), "eyJ", "code=", "ann-1"]) {
    assert.ok(!log.includes(secret), secret);
  }
});

test("a return is for the browser that began it, once, with its own code and state", async (t) => {
  const { provider, admin, sessions } = await stage(t);
  const done = await signInAt(admin.url, provider, ANN);
  assert.equal(done.answer.status, 303);
  const again = await done.browser.get(done.back);
  assert.match(await again.text(), /This sign-in was already used, or has expired/);
  const elsewhere = await admin.browser().get(done.back);
  assert.equal(elsewhere.status, 400, "in a browser that began nothing");
  assert.equal((await admin.browser().get("/sign-in/oidc/callback")).status, 400);

  /** A browser that has begun, with the address that the provider led it back to. */
  const begun = async () => {
    const browser = admin.browser();
    const to = (await browser.get("/sign-in/oidc")).headers.get("location") ?? "";
    return { browser, to: new URL(to), back: new URL(await provider.visit(to, ANN)) };
  };
  const [mine, theirs] = [await begun(), await begun()];
  const { searchParams: asked } = mine.to;
  assert.equal(asked.get("redirect_uri"), "http://admin.test/sign-in/oidc/callback");
  assert.equal(asked.get("code_challenge_method"), "S256");
  for (const name of ["state", "nonce", "code_challenge"]) {
    assert.ok((asked.get(name) ?? "").length >= 43, name);
    assert.notEqual(asked.get(name), theirs.to.searchParams.get(name), name);
  }
  const path = (url: URL) => url.pathname + url.search;
  const foreign = await mine.browser.get(path(theirs.back));
  assert.equal(foreign.status, 403, "another browser's whole return");

  const second = await begun();
  const swapped = new URL(second.back);
  swapped.searchParams.set("code", theirs.back.searchParams.get("code")!);
  assert.equal((await second.browser.get(path(swapped))).status, 400, "another browser's code");
  const third = await begun();
  third.back.searchParams.delete("state");
  assert.equal((await third.browser.get(path(third.back))).status, 403, "without a state");
  const fourth = await begun();
  fourth.back.searchParams.append("code", "second");
  assert.equal((await fourth.browser.get(path(fourth.back))).status, 403, "two codes");
  assert.equal(await sessions(), 1);

  const fifth = await begun();
  fifth.browser.cookies.set("belfry_oidc", `${fifth.browser.cookies.get("belfry_oidc")}x`);
  assert.equal((await fifth.browser.get(path(fifth.back))).status, 400, "a changed cookie");
});

test("after signing in it goes on to a page of ours, whatever was asked for", async (t) => {
  const { provider, admin } = await stage(t);
  const places = ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:x", ""];
  for (const next of places) {
    const { answer } = await signInAt(admin.url, provider, ANN, next);
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/"], next);
  }
  const path = `/account?${"x".repeat(1980)}`;
  const { answer } = await signInAt(admin.url, provider, ANN, path);
  assert.equal(answer.headers.get("location"), path, "the longest, and the cookie holds it");
});

test("whoever says no at the provider is told so, and may begin again; without a provider there are no such pages", async (t) => {
  const { provider, admin } = await stage(t);
  const { answer } = await signInAt(admin.url, provider, undefined);
  assert.equal(answer.status, 403);
  const html = await answer.text();
  assert.match(html, /Acme Login did not let you in/);
  assert.match(html, />Sign in with Acme Login</);
  assert.ok((await answer.headers.get("set-cookie"))?.includes("belfry_oidc=;"));
  const bare = createBrowser(await admin.replica({ oidc: undefined }));
  assert.ok(!(await bare.text("/sign-in")).includes("/sign-in/oidc"));
  for (const path of ["/sign-in/oidc", "/sign-in/oidc/callback"]) {
    assert.equal((await bare.get(path)).status, 404);
  }
});
