import assert from "node:assert/strict";
import { test } from "node:test";
import { type Act, type ActServices, defineAct, LOOK } from "@belfry/administration/act";
import { MANAGE_PATH, requestOf } from "@belfry/administration/act-http";
import { Conflict, TooLate } from "@belfry/administration/input-error";
import { field, flag, integer, text } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { acceptJsonOnly, createHttpServer } from "@belfry/service/http";
import { createLogger } from "@belfry/service/logger";
import { Type } from "@sinclair/typebox";
import { keyedActs, tenantKeyChecks } from "./act-access.ts";
import { actRoutes } from "./act-routes.ts";
import { disableSchemaValidation } from "./read-request.ts";
import type { Tenant } from "./tenant-directory.ts";

const log = createLogger({ service: "test", level: "silent" });

/** Sends an input to the act's route as `requestOf` writes it. */
async function served(t: test.TestContext, act: Act) {
  const app = createHttpServer({ log, maxBodyBytes: 1024 });
  t.after(() => app.close());
  disableSchemaValidation(app);
  acceptJsonOnly(app, "raw");
  app.decorateRequest("bodyText", "");
  const tenant = { id: "acme", keyName: "pipeline", keyRole: "manage", webhookSecrets: [] };
  const acts = keyedActs([act], MANAGE_PATH);
  const door = tenantKeyChecks({
    authentication: {
      trigger: () => undefined,
      async other(request) {
        request.tenant = tenant as unknown as Tenant;
      },
    },
    db: {} as Database,
    services: {} as ActServices,
    now: () => new Date(),
  });
  actRoutes(app, acts, door);
  const [{ http } = assert.fail()] = acts;
  const send = async (method: string, path: string, body?: string, headers = {}) => {
    const answer = await app.inject({
      method: method as "GET",
      url: path,
      headers: { ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { payload: body }),
    });
    return [answer.statusCode, answer.json().data ?? answer.json().message];
  };
  const ask = async (input: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const { method, path, body } = requestOf(http, input);
    return await send(method, path, body, headers);
  };
  /** Sends the address and the body as they are. */
  const raw = async (address: string, body: object) =>
    await send(http.method, MANAGE_PATH + address, JSON.stringify(body));
  return Object.assign(ask, { raw });
}

const anything = Type.Unsafe<unknown>({});

test("what a path and a query say has the types of the act's fields", async (t) => {
  const words = field<string[]>({ type: "array", items: { type: "string" } }, (value) =>
    Array.isArray(value) && value.every((one) => typeof one === "string")
      ? undefined
      : "must be a list of texts",
  );
  const ask = await served(
    t,
    defineAct({
      name: "thing look",
      http: "GET /things/:version/:name",
      access: LOOK,
      effect: "read",
      summary: "Look at a thing",
      input: Type.Object({
        version: integer({ minimum: 1, maximum: 9 }),
        name: text(),
        open: Type.Optional(flag()),
        most: Type.Optional(integer({ minimum: -5, maximum: 9 })),
        words: Type.Optional(words),
      }),
      output: anything,
      run: async (_, input) => ({ output: input }),
    }),
  );
  for (const input of [
    { version: 2, name: "a/b ü?#%" },
    { version: 2, name: "7", open: false, most: -3, words: ["one"] },
    { version: 2, name: "true", open: true, words: ["one", "2"] },
  ]) {
    assert.deepEqual(await ask(input), [200, input]);
  }
  assert.deepEqual(await ask({ version: "2x", name: "n", open: "yes", most: ["1", "2"] }), [
    422,
    [
      "version must be an integer from 1 to 9",
      "open must be true or false",
      "most must be an integer from -5 to 9",
    ],
  ]);
});

test("a conflict is 412 where the caller says what it has read, by the field or by If-Match, and else 409", async (t) => {
  const ask = await served(
    t,
    defineAct({
      name: "thing put",
      http: "PUT /things/:name",
      access: LOOK,
      effect: "outside",
      summary: "Put a thing",
      input: Type.Object({
        name: text(),
        late: Type.Optional(flag()),
        revision: Type.Optional(integer({ minimum: 0, maximum: 9 })),
      }),
      output: anything,
      async run(_, { revision = 0, late }): Promise<{ output: unknown }> {
        if (late === true) throw new TooLate("it has ended");
        if (revision !== 3) throw new Conflict(3);
        return { output: "saved" };
      },
    }),
  );
  const changed = "version 3 was saved meanwhile";
  assert.deepEqual(await ask({ name: "n" }), [409, changed]);
  assert.deepEqual(await ask({ name: "n", late: true }), [409, "it has ended"]);
  assert.deepEqual(await ask({ name: "n", revision: 2 }), [412, changed]);
  assert.deepEqual(await ask({ name: "n" }, { "if-match": '"2"' }), [412, changed]);
  for (const revision of ["3", '"3"']) {
    assert.deepEqual(await ask({ name: "n" }, { "if-match": revision }), [200, "saved"]);
  }
  assert.deepEqual(await ask({ name: "n" }, { "if-match": "*" }), [
    422,
    ["revision must be an integer from 0 to 9"],
  ]);
});

test("a dry run is one whether the query or the body says so, and never where they differ", async (t) => {
  const { raw } = await served(
    t,
    defineAct({
      name: "thing replay",
      http: "POST /things/:name/replay",
      access: LOOK,
      effect: "steps",
      summary: "Replay a thing",
      input: Type.Object({
        name: text(),
        dryRun: Type.Optional(flag()),
        most: Type.Optional(integer({ minimum: 0, maximum: 9 })),
      }),
      output: anything,
      run: async (_, input) => ({ output: input }),
    }),
  );
  const path = "/things/a/replay";
  const dry = [200, { name: "a", dryRun: true, most: 3 }];
  assert.deepEqual(await raw(path, { most: 3, dryRun: true }), dry);
  assert.deepEqual(await raw(`${path}?dryRun=true`, { most: 3 }), dry);
  assert.deepEqual(await raw(`${path}?dryRun=true`, { most: 3, dryRun: true, name: "a" }), dry);
  const refused = async (address: string, body: object, message: string[]) =>
    assert.deepEqual(await raw(path + address, body), [422, message]);
  await refused("?dryRun=false", { dryRun: true }, [
    "dryRun must not differ between the query and the body",
  ]);
  await refused("", { name: "b" }, ["name must not differ between the path and the body"]);
  await refused("?most=3", {}, ["most must be in the body"]);
  await refused("?dry_run=true", { Most: 1 }, [
    "Most is not a field; did you mean most?",
    "dry_run is not a field; did you mean dryRun?",
  ]);
  await refused("", { constructor: 1, dryrun: true }, [
    "constructor is not a field",
    "dryrun is not a field; did you mean dryRun?",
  ]);
});
