import type { Database } from "@belfry/database/connection";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { type Act, type ActServices, type Given, runAct } from "./act.ts";
import type { Actor } from "./audited.ts";

/** For tests: runs acts of the tenant as somebody who may run them all. What is not given of the services fails. */
export function actsIn(
  db: Database,
  tenantId: string,
  services: Partial<ActServices> = {},
  actor: Actor = { personId: null, person: "a test", address: "127.0.0.1" },
) {
  const caller = { db, tenantId, actor, services: services as ActServices, may: () => true };
  return <I extends TObject, O extends TSchema>(
    act: Act<I, O>,
    input: Given<Static<I>>,
  ): Promise<Static<O>> => runAct(act, caller, input);
}
