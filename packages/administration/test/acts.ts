import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { type Act, type ActServices, type Given, runAct } from "../src/act.ts";
import type { Actor } from "../src/audited.ts";
import { putProvider } from "../src/providers/providers.ts";

const SOMEBODY = { personId: null, person: "a test", address: "127.0.0.1" };

/** Runs acts as a program of the tenant, by its key. The audit log does not record its changes to users. */
export function programIn(db: Database, tenantId: string) {
  return actsIn(
    db,
    tenantId,
    { announcePreferences: () => undefined },
    { ...SOMEBODY, isProgram: true },
  );
}

/** For tests: runs acts of the tenant as somebody who may run them all. What is not given of the services fails. */
export function actsIn(
  db: Database,
  tenantId: string,
  services: Partial<ActServices> = {},
  actor: Actor = SOMEBODY,
) {
  const caller = { db, tenantId, actor, services: services as ActServices, may: () => true };
  return <I extends TObject, O extends TSchema>(
    act: Act<I, O>,
    input: Given<Static<I>>,
  ): Promise<Static<O>> => runAct(act, caller, input);
}

interface Options {
  keys: SecretKeys;
  allowPrivateAddresses?: boolean;
}

/** For tests: acts of the tenant with what providers need. */
export function providerActsIn(db: Database, tenantId: string, options: Options) {
  return actsIn(db, tenantId, {
    keys: async () => options.keys,
    allowPrivateAddresses: async () => options.allowPrivateAddresses ?? false,
  });
}

/** For tests: an account that is in use at once, without a test. */
export async function putActiveProvider(
  db: Database,
  { tenantId, ...input }: Static<typeof putProvider.input> & { tenantId: string },
  options: Options,
) {
  const run = providerActsIn(db, tenantId, options);
  return await run(putProvider, { active: true, untested: true, ...input });
}
