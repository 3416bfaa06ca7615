import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import { testNatsUrl } from "@belfry/testing/nats";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { connect, type Msg } from "@nats-io/transport-node";
import { runBelfry } from "./run-belfry.ts";

/** Words of a command: a text is split at its spaces. */
type Args = string | string[];

/** For tests: the command line in an empty home, on a database and with a key of the test's own. */
export async function createHome(
  t: TestContext,
  {
    env: more = {},
    start = runBelfry,
  }: { env?: Record<string, string>; start?: typeof runBelfry } = {},
) {
  const home = await temporaryFolder(t, "cli");
  const { url, pool } = await connectedDatabase(t);
  const SECRETS_KEYS = `t1:${randomBytes(32).toString("base64")}`;
  const own = { DATABASE_URL: url, BELFRY_HOME: home, SECRETS_KEYS, ...more };
  const run = (args: Args, input = "", env: Record<string, string> = {}) =>
    start(wordsOf(args), { env: { ...own, ...env }, input, cwd: home });
  return {
    ...{ home, url, pool, run },
    /** Succeeds with nothing to say beside its answer. */
    async json(args: Args, input?: string, env?: Record<string, string>) {
      const { code, out, err } = await run(args, input, env);
      assert.deepEqual([code, err], [0, ""], wordsOf(args).join(" "));
      return JSON.parse(out);
    },
    /** Fails with a sentence for people, and no answer. */
    async fails(args: Args, told: RegExp, input?: string, env?: Record<string, string>) {
      const { code, out, err } = await run(args, input, env);
      assert.deepEqual([code, out], [1, ""], `${wordsOf(args).join(" ")}: ${err}`);
      assert.match(err, told);
      assert.doesNotMatch(err, /\n\s+at /, "no stack");
    },
    async file(name: string, content: string) {
      await writeFile(join(home, name), content);
      return name;
    },
    /** Returns the audit log in order. The command line wrote all of it. */
    async entries() {
      const { rows } = await pool.query(
        "select person, tenant_id, action || ' ' || target as told, before, after from audit_log order by id",
      );
      for (const { person } of rows) assert.match(person, /^command line \(.+\)$/);
      return rows;
    },
  };
}

/** Collects the messages that are published below a `NATS_PREFIX` from now on. */
export async function heardBelow(t: TestContext, prefix: string): Promise<Msg[]> {
  const nc = await connect({ servers: testNatsUrl() });
  t.after(() => nc.close());
  const heard: Msg[] = [];
  nc.subscribe(`${prefix}.>`, { callback: (_error, message) => void heard.push(message) });
  await nc.flush();
  return heard;
}

const wordsOf = (args: Args) => (typeof args === "string" ? args.split(" ") : args);
