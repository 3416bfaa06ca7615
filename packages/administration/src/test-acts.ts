import type { Database } from "@belfry/database/connection";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { type Act, type ActServices, type Given, runAct } from "./act.ts";
import type { Actor } from "./audited.ts";

const SOMEBODY = { personId: null, person: "a test", address: "127.0.0.1" };

/** The same as a program of the tenant, by its key: what it says of users is not in the audit log. */
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
