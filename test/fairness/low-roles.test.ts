import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { MANAGE_PATH } from "@belfry/administration/act-http";
import { allActs } from "@belfry/administration/acts";
import { keyedActs } from "@belfry/http-api/act-access";
import { wholeFile } from "@belfry/testing/whole-file";
import { ACCESS } from "../../services/admin/src/page/access.ts";
import { beside } from "./beside.ts";
import { startAdmin } from "./start-admin.ts";
import { withinMemory } from "./within-memory.ts";

/** Requests of people and keys with few rights beside another tenant's pages and calls: they fail none of them. */

const AT_ONCE = 24;
const MIB = 1024 * 1024;
const admin = await startAdmin(wholeFile());
const { loud, neighbour } = admin;
const viewer = await admin.personOf(loud.id, "viewer");

/** The longest form of many fields, of one text, of a mail to preview, and in parts. */
function formsOf(token: string): readonly [type: string, body: string][] {
  const form = "application/x-www-form-urlencoded";
  const fields = `_token=${token}&`;
  const mail = { eventType: "sale", channel: "EMAIL", format: "markdown", subject: "a" };
  const content = "**a** ".repeat(40_000);
  return [
    [form, fields + "a&".repeat(MIB / 2 - 50)],
    [form, fields + "name=a&".repeat(1_900)],
    [form, `${fields}name=${"a".repeat(MIB - 100)}`],
    [form, fields + new URLSearchParams({ ...mail, content }).toString()],
    ["multipart/form-data; boundary=x", "\r\n".repeat(MIB / 2)],
  ];
}

test("every form that a viewer may post, 24 at a time with the longest body, fails no page and no call of another tenant", async (test) => {
  const forms = Object.entries(ACCESS)
    .filter(([route, access]) => route.startsWith("POST") && ["person", "viewer"].includes(access))
    .map(([route]) => route)
    // It ends the session.
    .toSorted((a, b) => Number(a === "POST /sign-out") - Number(b === "POST /sign-out"));
  const bodies = formsOf(await viewer.token("/account"));
  for (const route of forms) {
    const path = route.slice(5).replace(":tenantId", loud.id).replaceAll(/:\w+/g, randomUUID());
    const answers = await beside(neighbour, route, () =>
      Array.from({ length: AT_ONCE }, async (_, n) => {
        const [type, body] = bodies[n % bodies.length]!;
        const response = await viewer.raw(path, {
          method: "POST",
          headers: { "content-type": type },
          body,
        });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    const statuses = [...new Set(answers)].toSorted();
    test.diagnostic(`${route}: ${statuses.join(", ")}`);
    assert.ok(!statuses.includes(500), route);
  }
  test.diagnostic(await withinMemory("admin", admin.process));
});

test("large bodies that a key with the role read may not send, 24 at a time, fail no page and no call of another tenant", async (test) => {
  const key = await admin.keyOf(loud.id, "read");
  const large = keyedActs(await allActs(), MANAGE_PATH)
    .filter(({ act }) => act.maxBodyBytes !== undefined)
    .map(({ act, http }) => ({ ...http, bytes: act.maxBodyBytes ?? 0 }));
  for (const { method, path, bytes } of [
    ...large,
    { method: "POST", path: "/mcp", bytes: MIB / 2 },
  ]) {
    const body = `[${"{},".repeat(bytes / 3 - 2)}{}]`;
    const answers = await beside(neighbour, path, () =>
      Array.from({ length: AT_ONCE }, () =>
        admin.call(key, method, path.replace(":importId", "a"), body),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([403]), path);
  }
  test.diagnostic(await withinMemory("admin", admin.process));
});
