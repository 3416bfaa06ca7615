import { hash } from "node:crypto";
import { id, orNull, secretOnce, text, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { defineAct, defineRead, note, OPERATE } from "../act.ts";
import { invalid, NotFound } from "../input-error.ts";
import { isoTimes } from "../pages.ts";
import { KEY_MARKS, newApiKey } from "../tenants/api-key.ts";

const UNKNOWN = "no platform key has this id";
const MAX_PLATFORM_KEYS = 50;
/** The time of the last use is written at most once in this interval. */
const USE_NOTED_EVERY_SECONDS = 60;

const key = {
  id: Type.String(),
  prefix: Type.String({ description: "Its first characters" }),
  name: Type.String(),
};
const EXAMPLE = {
  id: "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79",
  prefix: "bfp_a1B2c3",
  name: "provisioning",
};

export const createPlatformKey = defineAct({
  name: "operator key create",
  access: OPERATE,
  summary: "Create a platform key, with which a program may do over HTTP what an operator may",
  description: "It is accepted for operators' calls only, and refused on every call of a tenant.",
  input: Type.Object({ name: text({ description: "what people call it" }) }),
  output: Type.Object({ ...key, key: secretOnce("The key") }, { title: "NewPlatformKey" }),
  example: { input: { name: EXAMPLE.name }, output: { ...EXAMPLE, key: `${EXAMPLE.prefix}…` } },
  async run({ db }, { name }) {
    const { count } = await db
      .selectFrom("platform_keys")
      .select(({ fn }) => fn.countAll<string>().as("count"))
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_PLATFORM_KEYS) {
      throw invalid("name", `would be one more than the ${MAX_PLATFORM_KEYS} keys allowed`);
    }
    const { apiKey, prefix, sha256 } = newApiKey("platform");
    const made = { id: uuidv7(), prefix, name };
    await db
      .insertInto("platform_keys")
      .values({ ...made, sha256 })
      .execute();
    return { output: { ...made, key: apiKey } };
  },
  audit: ({ name }, { output: { prefix } }) =>
    note("platform-key.create", name, { after: { name, prefix } }),
});

export const listPlatformKeys = defineRead({
  name: "operator key list",
  access: OPERATE,
  summary: "The platform keys, newest first: first characters, name, last use",
  input: Type.Object({}),
  output: Type.Array(
    Type.Object({
      ...key,
      createdAt: time("When it was created"),
      lastUsedAt: orNull(time("To within a minute; null: never")),
    }),
  ),
  example: {
    input: {},
    output: [{ ...EXAMPLE, createdAt: "2026-11-20T09:00:00.000Z", lastUsedAt: null }],
  },
  async run({ db }) {
    const keys = await db
      .selectFrom("platform_keys")
      .select(["id", "prefix", "name", "created_at as createdAt", "last_used_at as lastUsedAt"])
      .orderBy("id", "desc")
      .execute();
    return keys.map(isoTimes);
  },
});

export const revokePlatformKey = defineAct({
  name: "operator key revoke",
  access: OPERATE,
  summary: "Revoke a platform key: its next call is refused",
  input: Type.Object({ id: id({ description: "as `operator key list` shows it" }) }),
  output: Type.Object(key, { title: "PlatformKey" }),
  example: { input: { id: EXAMPLE.id }, output: EXAMPLE },
  flags: { id: "<id>" },
  async run({ db }, input) {
    if (!UUID.test(input.id)) throw new NotFound("id", UNKNOWN);
    const gone = await db
      .deleteFrom("platform_keys")
      .where("id", "=", input.id)
      .returning(["id", "prefix", "name"])
      .executeTakeFirst();
    if (gone === undefined) throw new NotFound("id", UNKNOWN);
    return { output: gone };
  },
  audit: (_, { output: { name, prefix } }) =>
    note("platform-key.revoke", name, { before: { name, prefix } }),
});

/** Finds a platform key by its text. Reads the database for each call, so that a revoked key is refused at once. */
export async function findPlatformKey(db: Database, text: string) {
  if (!text.startsWith(KEY_MARKS.platform)) return undefined;
  const found = await db
    .selectFrom("platform_keys")
    .select(["id", "name", "prefix"])
    .where("sha256", "=", hash("sha256", text, "buffer"))
    .executeTakeFirst();
  if (found === undefined) return undefined;
  await db
    .updateTable("platform_keys")
    .set({ last_used_at: sql<Date>`now()` })
    .where("id", "=", found.id)
    .where((of) =>
      of.or([
        of("last_used_at", "is", null),
        of(
          "last_used_at",
          "<",
          sql<Date>`now() - make_interval(secs => ${USE_NOTED_EVERY_SECONDS})`,
        ),
      ]),
    )
    .execute();
  return found;
}
