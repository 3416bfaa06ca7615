import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSecretKeys } from "@belfry/database/secrets";
import { ConfigError, loadConfig } from "@belfry/service/config";
import type { FastifyReply, FastifyRequest } from "fastify";
import { configSchema } from "../config.ts";
import type { Cookies } from "../page/cookies.ts";
import { oidcFaults, oidcSettings } from "./oidc-settings.ts";
import { createPendingSignIns } from "./pending-sign-ins.ts";

const KEYS = `k1:${Buffer.alloc(32, 1).toString("base64")}`;
const WITHOUT = {
  ...{ DATABASE_URL: "postgres://x", NATS_URL: "nats://x", ADMIN_BASE_URL: "https://b.example" },
  ...{ SECRETS_KEYS: KEYS, REALTIME_TOKEN_KEYS: KEYS },
};
const WITH = {
  ...{ ...WITHOUT, OIDC_ISSUER: "https://login.acme.com/realms/acme" },
  ...{ OIDC_CLIENT_ID: "belfry", OIDC_CLIENT_SECRET: "shh" },
};

function load(env: Record<string, string>) {
  return oidcSettings(loadConfig(configSchema, env, oidcFaults));
}

test("signing in by a provider is off without an issuer, and its settings have defaults that let nobody in by themselves", () => {
  assert.equal(load(WITHOUT), undefined);
  assert.equal(load({ ...WITHOUT, OIDC_NAME: "Acme", OIDC_CLIENT_ID: "x" }), undefined);
  const { timeoutMs, ...settings } = load(WITH)!;
  assert.ok(timeoutMs > 0);
  assert.deepEqual(settings, {
    ...{ issuer: WITH.OIDC_ISSUER, clientId: "belfry", clientSecret: "shh" },
    ...{ name: "login.acme.com", scopes: "openid email profile", allowedDomains: [] },
    ...{ groupsClaim: "groups", groupRoles: [], allowHttpOnLoopback: false },
  });
  const roles = [{ group: "staff", tenantId: "acme", role: "viewer" }];
  const all = load({
    ...{ ...WITH, OIDC_NAME: "Acme", OIDC_ALLOWED_DOMAINS: " Acme.com, mail.acme.com ," },
    ...{ OIDC_ROLES: JSON.stringify(roles), OIDC_GROUPS_CLAIM: "roles" },
  })!;
  assert.deepEqual(
    [all.name, all.allowedDomains, all.groupsClaim, all.groupRoles],
    ["Acme", ["acme.com", "mail.acme.com"], "roles", roles],
  );
});

test("what is wrong is said at the start by the setting's name, and shows no secret", () => {
  const http = { ADMIN_BASE_URL: "http://127.0.0.1:3002", OIDC_ISSUER: "http://127.0.0.1:9" };
  const bad: [Record<string, string>, RegExp][] = [
    [{ OIDC_ISSUER: "login.acme.com" }, /OIDC_ISSUER: must be an address that begins with https/],
    [{ OIDC_ISSUER: "ftp://login.acme.com" }, /OIDC_ISSUER: must be an address that begins with/],
    [{ OIDC_ISSUER: "http://login.acme.com" }, /OIDC_ISSUER: must be an address that begins with/],
    [{ OIDC_ISSUER: "http://127.0.0.1.evil.example" }, /OIDC_ISSUER: must be an address that/],
    [{ OIDC_ISSUER: "https://u:p@login.acme.com" }, /OIDC_ISSUER: .* without a query, a fragment/],
    [{ OIDC_ISSUER: "https://login.acme.com/?x=1" }, /OIDC_ISSUER: .* without a query, a fragment/],
    [{ OIDC_CLIENT_ID: "" }, /OIDC_CLIENT_ID: is required with OIDC_ISSUER/],
    [{ OIDC_CLIENT_SECRET: "" }, /OIDC_CLIENT_SECRET: is required with OIDC_ISSUER/],
    [{ OIDC_NAME: "a\u0007b" }, /OIDC_NAME: must not contain control characters/],
    [{ OIDC_SCOPES: "email" }, /OIDC_SCOPES: must have openid in it/],
    [{ OIDC_ALLOWED_DOMAINS: "@acme.com" }, /OIDC_ALLOWED_DOMAINS: "@acme\.com" is no domain/],
    [{ OIDC_ALLOWED_DOMAINS: "acme.com,*.acme.com" }, /"\*\.acme\.com" is no domain/],
    [{ OIDC_ALLOWED_DOMAINS: "büro.example" }, /"büro\.example" is no domain .*in ASCII/],
    [{ OIDC_ALLOWED_DOMAINS: "com" }, /"com" is no domain/],
    [{ OIDC_ROLES: "[{]" }, /OIDC_ROLES: is not JSON/],
    [{ OIDC_ROLES: '[{"group":"a"}]' }, /OIDC_ROLES: entry 1: tenantId must be a tenant's id/],
    // The allowance alone, on a machine of the world, or for another machine, is none.
    [http, /OIDC_ISSUER: must begin with https/],
    [{ OIDC_ALLOW_HTTP_ON_LOOPBACK: "true" }, /OIDC_ALLOW_HTTP_ON_LOOPBACK: is for trials/],
    [
      { ...http, ADMIN_BASE_URL: "https://b.example", OIDC_ALLOW_HTTP_ON_LOOPBACK: "true" },
      /OIDC_ALLOW_HTTP_ON_LOOPBACK: is for trials/,
    ],
  ];
  for (const [changes, fault] of bad) {
    assert.throws(
      () => load({ ...WITH, ...changes }),
      (error) =>
        error instanceof ConfigError && fault.test(error.message) && !error.message.includes("shh"),
      `${JSON.stringify(changes)} ${fault}`,
    );
  }
  const trial = load({ ...WITH, ...http, OIDC_ALLOW_HTTP_ON_LOOPBACK: "true" });
  assert.equal(trial?.allowHttpOnLoopback, true);
});

test("a sign-in that is under way can be taken up for ten minutes, once, under the keys of this house", async () => {
  let nowMs = 1_000_000;
  const jar: Record<string, string> = {};
  const reply = {
    setCookie: (name: string, value: string) => Object.assign(jar, { [name]: value }),
    clearCookie: (name: string) => Reflect.deleteProperty(jar, name),
  } as unknown as FastifyReply;
  const request = { cookies: jar } as unknown as FastifyRequest;
  const pending = { state: "s", nonce: "n", verifier: "v", next: "/", connects: "session" };
  const pendingsWith = (keys: string) =>
    createPendingSignIns({} as Cookies, {
      keys: parseSecretKeys(keys),
      isHttps: true,
      nowMs: () => nowMs,
    }).oidc;
  const pendings = pendingsWith(KEYS);
  await pendings.keep(reply, pending);
  assert.deepEqual(Object.keys(jar), ["__Host-belfry_oidc"]);
  assert.ok(!Object.values(jar).join().includes("session"));
  nowMs += 10 * 60_000 - 1;
  assert.deepEqual(await pendings.take(request, reply), pending);
  assert.equal(await pendings.take(request, reply), undefined);
  await pendings.keep(reply, pending);
  nowMs += 10 * 60_000;
  assert.equal(await pendings.take(request, reply), undefined);
  const otherKeys = `k1:${Buffer.alloc(32, 2).toString("base64")}`;
  await pendingsWith(otherKeys).keep(reply, pending);
  assert.equal(await pendings.take(request, reply), undefined);
  jar["__Host-belfry_oidc"] = "x".repeat(5000);
  assert.equal(await pendings.take(request, reply), undefined);
});
