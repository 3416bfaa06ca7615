import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { startAdmin } from "@belfry/admin/test/start-admin";
import { type Act, NotAllowed, PERSON_ROLES, runAct } from "@belfry/administration/act";
import { MANAGE_PATH, requestOf } from "@belfry/administration/act-http";
import { allActs, isAct } from "@belfry/administration/acts";
import { InvalidInput, NotFound } from "@belfry/administration/input-error";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { KEY_ROLES, type KeyRole, keyMay } from "@belfry/contracts/key-roles";
import { faultsOf } from "@belfry/contracts/problems";
import { keyedActs } from "@belfry/http-api/act-access";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { wholeFile } from "@belfry/testing/whole-file";
import type { TSchema } from "@sinclair/typebox";
import type { Command } from "commander";
import { errorText } from "../../packages/cli/src/command-error.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import { runBelfry } from "../../packages/cli/test/run-belfry.ts";
import { mayDo } from "../../services/admin/src/page/access.ts";
import { FIXTURES, runDirectly, servicesOf } from "./fixtures.ts";

/** Every act through every door: the same change, the same faults, the same audit entry, and nobody else's data. */

const ADMINISTRATION = resolve(import.meta.dirname, "../../packages/administration/src");
const NOBODYS = "0198f3a1-7c2e-7b1d-9a54-000000000000";

const cleanup = wholeFile();
const admin = await startAdmin(cleanup);
const home = await temporaryFolder(cleanup, "doors");
const { db, pool, url } = admin;
const acts = await allActs();
const keyed = keyedActs(acts, MANAGE_PATH);
const program = await createProgram();

type Input = Record<string, unknown>;
/** How a run ended, in the words of every door. */
interface Ended {
  output?: unknown;
  /** As the command line tells it. */
  error?: string;
}

async function freshTenant(act: Act, role: KeyRole = "provision") {
  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  const { apiKey } = await actsIn(db, tenantId)(createKey, { role, name: "pipeline" });
  const noun = act.name.split(" ", 1)[0] ?? "";
  const own = (await FIXTURES[noun]?.({ db, pool, tenantId }, act.name)) ?? {};
  return { tenantId, apiKey, own };
}

const services = servicesOf(pool, admin.keys, url);

type Door = (
  act: Act,
  input: Input,
  of: { tenantId: string; apiKey: string },
) => Promise<Ended | undefined>;

/** Without any door. */
async function directly(act: Act, input: Input, { tenantId }: { tenantId: string }) {
  return await runDirectly(act, input, { db, tenantId, services }).then(
    (output): Ended => ({ output }),
    (error): Ended => ({ error: errorText(error) }),
  );
}

async function byHttp(act: Act, input: Input, { apiKey }: { apiKey: string }): Promise<Ended> {
  const { status, body } = await call(act, input, apiKey);
  if (status === 200) return { output: body.data };
  if (status === 422) {
    const faults = [...(body.message as string[])].map((text) => {
      const [field = "", ...words] = text.split(" ");
      return { field, message: words.join(" ") };
    });
    return { error: errorText(new InvalidInput(faults)) };
  }
  const [, field, words] = /^(\w+): (.*)$/s.exec(body.message) ?? [];
  const isMissing = status === 404 && field !== undefined && words !== undefined;
  return { error: errorText(isMissing ? new NotFound(field, words) : new Error(body.message)) };
}

async function call(act: Act, input: Input, apiKey: string) {
  const { http } = keyed.find((one) => one.act === act) ?? assert.fail(act.name);
  const { method, path, body } = requestOf(http, input);
  const answer = await fetch(url + path, {
    method,
    headers: { "x-api-key": apiKey, ...(body && { "content-type": "application/json" }) },
    ...(body && { body }),
  });
  const told = (await answer.json()) as { data?: unknown; message: string & string[] };
  return { status: answer.status, body: told };
}

const inProcess: Door = (act, input, { tenantId }) =>
  byCommand(act, input, ["--tenant", tenantId], admin.environment);
const commandByHttp: Door = (act, input, { apiKey }) =>
  byCommand(act, input, ["--api", url], { BELFRY_API_KEY: apiKey });

/** undefined: the command has flags of its own for what is given, or refuses it by itself. */
async function byCommand(act: Act, input: Input, more: string[], env: Record<string, string>) {
  const flags = flagsOf(act, input);
  if (flags === undefined) return undefined;
  const args = [...act.name.split(" "), ...flags, ...more];
  const { code, out, err } = await runBelfry(args, { env: { ...env, BELFRY_HOME: home } });
  // The command's own words for what it does not take, or has a part of its own for.
  if (/^error: (option '|missing required|required option|--\S+ is required)/.test(err))
    return undefined;
  if (code !== 0) return { error: err.trimEnd() };
  assert.equal(err, "", args.join(" "));
  const output = JSON.parse(out);
  return { output: act.pages ? { items: output } : output };
}

function flagsOf(act: Act, input: Input): string[] | undefined {
  const command = act.name
    .split(" ")
    .reduce<Command | undefined>(
      (under, word) => under?.commands.find((one) => one.name() === word),
      program,
    );
  const optionOf = (flag: string) => command?.options.find(({ long }) => long === flag);
  const flags: string[] = [];
  const args: string[] = [];
  for (const name of Object.keys(act.input.properties)) {
    const value = input[name];
    if (value === undefined) continue;
    const irregular = act.flags?.[name];
    const named = irregular?.split(" ")[0] ?? `--${name.replace(/[A-Z]/g, "-$&").toLowerCase()}`;
    const { contentMediaType, writeOnly } = act.input.properties[name] as TSchema;
    // It stands in a file.
    if (irregular === null || contentMediaType || writeOnly) return undefined;
    if (!named.startsWith("--")) {
      args.push(String(value));
      continue;
    }
    const option = optionOf(named);
    if (option === undefined) return undefined;
    if (value === null || (value === false && !option.required)) {
      flags.push(`--no-${named.slice(2)}`);
    } else if (value === true && !option.required) flags.push(named);
    else if (typeof value === "boolean") flags.push(named, value ? "on" : "off");
    else if (Array.isArray(value)) return undefined;
    else if (typeof value === "object") {
      if (optionOf(`${named}-in`) === undefined) return undefined;
      for (const [language, text] of Object.entries(value)) {
        flags.push(...(language === "" ? [named, text] : [`${named}-in`, `${language}=${text}`]));
      }
    } else flags.push(named, String(value));
  }
  return [...args, ...flags];
}

/** Without what differs between two runs: ids, times, who it was, and revisions, which all tenants count together. */
function comparable(value: unknown, tenantId: string): unknown {
  const text = JSON.stringify(value) ?? "null";
  return JSON.parse(
    text
      .replaceAll(tenantId, "TENANT")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/"person":"[^"]*"/g, '"person":"SOMEBODY"')
      .replaceAll(/"revision":\d+/g, '"revision":0'),
  );
}

async function auditedIn(tenantId: string) {
  return await db
    .selectFrom("audit_log")
    .select(["action", "target", "before", "after", "person"])
    .where("tenant_id", "=", tenantId)
    .where("person", "!=", "a test")
    .orderBy("id")
    .execute();
}

const DOORS: Record<string, Door> = { directly, byHttp, inProcess, commandByHttp };
const ACTORS: Record<string, RegExp> = {
  directly: /^directly$/,
  byHttp: /^key pipeline$/,
  inProcess: /^command line \(/,
  commandByHttp: /^key pipeline$/,
};

/** The same input by every door, each in a tenant of its own; returns the doors that took it. */
async function byEveryDoor(act: Act, inputOf: (own: Input) => Input) {
  const took: string[] = [];
  let expected: unknown;
  for (const [name, door] of Object.entries(DOORS)) {
    const tenant = await freshTenant(act);
    const ended = await door(act, inputOf(tenant.own), tenant);
    if (ended === undefined) continue;
    took.push(name);
    const entries = await auditedIn(tenant.tenantId);
    for (const { person } of entries) assert.match(person, ACTORS[name] ?? /^$/, act.name);
    const told = entries.map(({ person: _, ...entry }) => entry);
    const seen = comparable({ ...ended, told }, tenant.tenantId);
    expected ??= seen;
    assert.deepEqual(seen, expected, `${act.name} by ${name}`);
  }
  return took;
}

/** What the field's rule refuses, where it can be given by every door. */
function badValue({ type, enum: words }: TSchema): unknown {
  if (words !== undefined) return "no-such-word";
  if (type === "integer") return 999_999_999_999;
  return type === "string" ? `${"x".repeat(300)} ` : undefined;
}

test("every act is in the list of nouns", async () => {
  const files = await readdir(ADMINISTRATION, { recursive: true });
  const named: string[] = [];
  for (const file of files.filter((one) => one.endsWith(".ts") && !one.endsWith(".test.ts"))) {
    const path = join(ADMINISTRATION, file);
    if (!(await readFile(path, "utf8")).match(/= define(Act|Read)\(/)) continue;
    const module = await import(pathToFileURL(path).href);
    named.push(
      ...Object.values(module)
        .filter(isAct)
        .map(({ name }) => name),
    );
  }
  assert.deepEqual(acts.map(({ name }) => name).sort(), named.sort());
  assert.equal(new Set(named).size, named.length);
});

test("an act does the same by every door, and the audit log tells the same but for who did it", async () => {
  // Keys of before management gain nothing there.
  for (const { act, need } of keyed) assert.match(need, /^(manage|provision|send)$/, act.name);
  let byCommandLine = 0;
  for (const { act } of keyed) {
    if (act.example === undefined) continue;
    const { input } = act.example;
    const took = await byEveryDoor(act, (own) => ({ ...input, ...own }));
    if (took.includes("commandByHttp")) byCommandLine += 1;
  }
  assert.ok(byCommandLine >= 7, `${byCommandLine} by the command line`);
});

test("the faults of an input are the same words in the same order by every door", async () => {
  let several = 0;
  for (const { act } of keyed) {
    const { input = {} } = act.example ?? {};
    const bad = Object.entries(act.input.properties).flatMap(([name, schema]) => {
      const value = badValue(schema);
      return value === undefined || act.flags?.[name] === null ? [] : [[name, value]];
    });
    const inputOf = (own: Input) => ({ ...input, ...own, ...Object.fromEntries(bad) });
    if (faultsOf(act.input, inputOf({}), "input", "").length > 1) several += 1;
    if (bad.length > 0) await byEveryDoor(act, inputOf);
  }
  assert.ok(several > 0, "an act with two faults at once");
});

test("each key role runs the acts that it is good for, and is told its role by the others", async () => {
  for (const role of KEY_ROLES) {
    for (const { act, need } of keyed) {
      const { apiKey, own } = await freshTenant(act, role);
      const { status, body } = await call(act, { ...act.example?.input, ...own }, apiKey);
      const where = `${act.name} by ${role}: ${JSON.stringify(body)}`;
      assert.equal(status === 403, !keyMay(role, need), where);
      if (status === 403) assert.match(body.message, new RegExp(`has the role ${role};`), where);
    }
  }
});

test("no key of a tenant runs an act that names no key role", async () => {
  const { apiKey } = await freshTenant(acts[0] ?? assert.fail());
  for (const act of acts.filter(({ access }) => access.key === undefined)) {
    const [method = "", path = ""] = (act.http ?? "GET /none").split(" ");
    const headers = { "x-api-key": apiKey };
    const { status } = await fetch(url + MANAGE_PATH + path, { method, headers });
    // An operator's call takes platform keys alone.
    const isOperators = act.http !== undefined && act.access.person === "operator";
    assert.ok((isOperators ? [401] : [404, 405]).includes(status), `${act.name}: ${status}`);
  }
});

test("each person role runs the acts that are for it", async () => {
  for (const role of PERSON_ROLES) {
    for (const act of acts) {
      const { scope, person } = act.access;
      const may = () => (scope === "tenant" ? mayDo(role, person) : role === "operator");
      const actor = { personId: null, person: role, address: "127.0.0.1" };
      const { tenantId } = await freshTenant(act);
      // Nothing is given: who may run it is told of that.
      const run = runAct(act, { db, tenantId, actor, services, may }, {} as never);
      const error = await run.then(
        () => undefined,
        (thrown) => thrown,
      );
      assert.equal(error instanceof NotAllowed, !may(), `${act.name} by ${role}: ${error}`);
    }
  }
});

test("an id of another tenant is as unknown as none, whatever field it is in", async () => {
  let tried = 0;
  for (const { act } of keyed) {
    const theirs = await freshTenant(act);
    const mine = await freshTenant(act);
    const input = { ...act.example?.input, ...mine.own };
    for (const [field, id] of Object.entries(theirs.own)) {
      if (typeof id !== "string") continue;
      tried += 1;
      const unknown = id.length === NOBODYS.length ? NOBODYS : "nobodys";
      const foreign = await call(act, { ...input, [field]: id }, mine.apiKey);
      const none = await call(act, { ...input, [field]: unknown }, mine.apiKey);
      assert.notEqual(foreign.status, 200, `${act.name} ${field}`);
      const text = JSON.stringify(foreign).replaceAll(id, unknown);
      assert.deepEqual(JSON.parse(text), none, `${act.name} ${field}`);
    }
    assert.deepEqual(await auditedIn(theirs.tenantId), [], act.name);
  }
  assert.ok(tried > 0);
});
