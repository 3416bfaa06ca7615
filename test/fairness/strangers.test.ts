import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { LINK_PAGES, type LinkPurpose } from "@belfry/contracts/message-links";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { parseLinkKeys, sealLink } from "@belfry/database/link-token";
import { wholeFile } from "@belfry/testing/whole-file";
import { KEY_ACCESS } from "../../services/ingest-api/src/key-access.ts";
import { startIngest } from "../fuzz/start-ingest.ts";
import { routes } from "../openapi/document.ts";
import { beside, trigger } from "./beside.ts";
import { CALLS, DEAREST } from "./dearest-calls.ts";
import { type OpenCall, QUERY, vendorCalls } from "./vendor-calls.ts";
import { heapOf, withinMemory } from "./within-memory.ts";

/** Requests of people without a key beside a tenant's triggers: they fail none of them. */

const AT_ONCE = 24;
const LINK_KEYS = `k1:${randomBytes(32).toString("base64")}`;
const ingest = await startIngest(wholeFile(), {
  ...(await heapOf("ingest-api")),
  LINK_KEYS,
  PUBLIC_URL: "http://127.0.0.1:3000",
  LINK_REQUESTS_PER_MINUTE: "1000000",
  RECEIPTS_PER_MINUTE: "1000000",
});
const [loud, quiet] = [await ingest.createTenant(), await ingest.createTenant()];
const languages = { "accept-language": "a,".repeat(6_000) };

/** The page of a link that works. */
const linkTo = (purpose: LinkPurpose) => {
  const link = {
    tenantId: loud.id,
    userId: "ann",
    category: "offers-1",
    channel: "EMAIL",
  } as const;
  return `${LINK_PAGES[purpose]}/${sealLink(parseLinkKeys(LINK_KEYS), purpose, link)}`;
};
const visits = (purpose: LinkPurpose): OpenCall[] => [
  { path: linkTo(purpose), headers: languages },
  { path: `${linkTo(purpose)}?${QUERY}` },
  { path: `${LINK_PAGES[purpose]}/k1.${"a".repeat(14_000)}` },
];
const PART = '--x\r\ncontent-disposition: form-data; name="is"\r\n\r\na\r\n';
const FORMS = [
  ["application/x-www-form-urlencoded", "is=a&".repeat(1_999)],
  ["application/x-www-form-urlencoded", "a&".repeat(48 * 1024)],
  ["multipart/form-data; boundary=x", `${PART.repeat(1_750)}--x--\r\n`],
  ["multipart/form-data; boundary=x", "\r\n".repeat(48 * 1024)],
] as const;
const forms = (purpose: LinkPurpose): OpenCall[] =>
  FORMS.map(([type, body]) => ({
    path: linkTo(purpose),
    headers: { "content-type": type },
    body,
  }));

/** The dearest calls of each route without a key. A new route needs a row. */
const OPEN: [route: string, calls: OpenCall[]][] = [
  ["GET /docs", [{ path: `/docs?${QUERY}` }]],
  ["GET /docs/reference.js", [{ path: "/docs/reference.js" }]],
  ["GET /openapi.json", [{ path: `/openapi.json?${QUERY}` }]],
  ["GET /packages", [{ path: `/packages?${QUERY}` }]],
  ["GET /packages/:file", [{ path: `/packages/${"a-".repeat(7_000)}1.0.0.tgz` }]],
  [
    "GET /images/:name",
    Array.from({ length: AT_ONCE }, () => ({ path: `/images/${randomBytes(16).toString("hex")}` })),
  ],
  ["GET /unsubscribe/*", visits("unsubscribe")],
  ["POST /unsubscribe/*", forms("unsubscribe")],
  ["GET /preferences/*", visits("preferences")],
  ["POST /preferences/*", forms("preferences")],
  ...(await vendorCalls(ingest, loud.id)),
];

/** Sends the calls of a route in turn, 24 at a time. Resolves to the statuses. */
async function flood(route: string, calls: readonly OpenCall[]): Promise<Set<number>> {
  const [method = ""] = route.split(" ");
  const statuses = await beside(
    () => trigger(ingest, quiet.apiKey, route),
    route,
    () =>
      Array.from({ length: AT_ONCE }, async (_, n) => {
        const { path, headers = {}, body = null } = calls[n % calls.length]!;
        const response = await fetch(ingest.url + path, { method, headers, body });
        await response.arrayBuffer();
        return response.status;
      }),
  );
  return new Set(statuses);
}

test("every route without a key at its dearest, 24 connections at a time, fails no trigger of a tenant, and the process stays within its memory", async (t) => {
  const open = routes.filter((one) => !(one in KEY_ACCESS) && !one.startsWith("HEAD"));
  assert.deepEqual(new Set(OPEN.map(([route]) => route)), new Set(open));
  await ingest.pool.query(
    `with templates as (
       insert into templates (id, tenant_id, event_type, channel, active)
       select gen_random_uuid(), $1, 'sale', unnest('{EMAIL,SMS,PUSH}'::text[]), true
     )
     insert into categories (tenant_id, key, label, description)
     select $1, 'offers-' || n, jsonb_build_object('', 'Offers'), jsonb_build_object('', 'All')
     from generate_series(1, 100) n`,
    [loud.id],
  );
  for (const [route, calls] of OPEN) {
    const statuses = await flood(route, calls);
    t.diagnostic(`${calls[0]?.path.slice(0, 60)}: ${[...statuses].join(", ")}`);
    assert.ok(!statuses.has(500), route);
  }
  t.diagnostic(await withinMemory("ingest-api", ingest.process));
});

test("every call without a key and with a wrong one, 24 at a time with the dearest body, is refused and fails no trigger", async (t) => {
  for (const call of [`POST ${TRIGGER_PATH}`, ...CALLS]) {
    const [method = "", path = ""] = call.split(" ");
    const { body = { text: "x".repeat(250_000) }, headers } = DEAREST[call] ?? {};
    const asked = {
      path,
      body: method === "GET" ? undefined : JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    };
    const strangers = Array.from({ length: AT_ONCE / 2 }, () => ({
      ...asked,
      headers: { ...asked.headers, "x-api-key": randomBytes(99).toString("hex") },
    }));
    const statuses = await flood(
      call,
      strangers.flatMap((stranger) => [stranger, asked]),
    );
    assert.deepEqual(statuses, new Set([401]), call);
  }
  t.diagnostic(await withinMemory("ingest-api", ingest.process));
});
