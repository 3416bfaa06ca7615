import assert from "node:assert/strict";
import { test } from "node:test";
import { allActs } from "@belfry/administration/acts";
import { KEY_ROLES, type KeyRole, keyMay } from "@belfry/contracts/key-roles";
import { keyedActs } from "@belfry/http-api/act-access";
import { KEY_ACCESS } from "../../services/ingest-api/src/key-access.ts";
import { readDoc } from "./markdown.ts";

const acts = keyedActs(await allActs(), "/api/v1");
const routeOf = ({ http }: (typeof acts)[number]) => `${http.method} ${http.path}`;
const ofActs = new Set(acts.map(routeOf));

/** Every call that takes a tenant's key, and what the key must be good for. */
const needs = new Map([
  ...acts.map(({ act, need }) => [act.name, need] as const),
  ...Object.entries(KEY_ACCESS)
    .filter(([route]) => !ofActs.has(route))
    .map(([route, need]) => [route.replace(" /api/v1/", " /"), need] as const),
]);

const rows = readDoc("authentication.md")
  .split("<!-- calls by role -->")[1]
  ?.split("\n")
  .filter((line) => line.startsWith("| **"))
  .map((line) => {
    const [what = "", roles = "", calls = ""] = line.split(" | ").map((cell) => cell.trim());
    const codes = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
    const [, kind = ""] = /^\| \*\*(\w+)\*\*/.exec(line) ?? [];
    return { what, kind, roles: codes(roles) as KeyRole[], calls: codes(calls) };
  });

test("the table of key roles says of each call once what it learns, sends or changes, and for which roles", () => {
  assert.ok(rows);
  const told = rows.flatMap(({ calls }) => calls);
  assert.deepEqual(told.toSorted(), [...needs.keys()].toSorted());
  for (const { what, roles, calls } of rows) {
    for (const call of calls) {
      const need = needs.get(call);
      const may = KEY_ROLES.filter((role) => need !== undefined && keyMay(role, need));
      assert.deepEqual([...roles].toSorted(), may.toSorted(), `${call} in: ${what}`);
    }
  }
});

test("a key of the role manage or read sends nothing: what reaches somebody else is in a row of what sends", () => {
  assert.ok(rows);
  const sending = rows.filter(({ kind }) => kind === "Sends");
  for (const { roles } of sending)
    assert.deepEqual(
      roles.filter((role) => ["manage", "read"].includes(role)),
      [],
    );
  const outside = acts.filter(({ act }) => act.effect === "outside").map(({ act }) => act.name);
  const sends = sending.flatMap(({ calls }) => calls);
  assert.deepEqual(
    outside.filter((name) => !sends.includes(name)),
    [],
  );
});
