import type { Database } from "@belfry/database/connection";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { type Act, type Given, runAct } from "./act.ts";

/** For tests: runs acts of the tenant as somebody who may run them all. */
export function actsIn(db: Database, tenantId: string) {
  const actor = { personId: null, person: "a test", address: "127.0.0.1" };
  const caller = { db, tenantId, actor, may: () => true };
  return <I extends TObject, O extends TSchema, Result>(
    act: Act<I, O, Result>,
    input: Given<Static<I>>,
  ): Promise<Static<O>> => runAct(act, caller, input);
}
