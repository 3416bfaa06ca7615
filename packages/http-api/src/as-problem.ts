import { type Act, type ActServices, type Given, runAct } from "@belfry/administration/act";
import { InvalidInput, NotFound, TooLate } from "@belfry/administration/input-error";
import { Problem } from "@belfry/contracts/problems";
import type { Database } from "@belfry/database/connection";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { FastifyRequest } from "fastify";

/** Whose absence means that the key's tenant was deleted in this moment. */
const OF_TENANT = ["tenant", "tenantId"];

/** What acts need of this process: those of a route that are given to it. */
export type ActDeps = { db: Database } & Partial<ActServices>;

/** Runs an act as the program that has the request's key, whose role `KEY_ACCESS` has judged. */
export async function runFor<I extends TObject, O extends TSchema>(
  deps: ActDeps,
  request: FastifyRequest,
  act: Act<I, O>,
  input: Given<Static<I>>,
): Promise<Static<O>> {
  const caller = {
    ...{ db: deps.db, tenantId: request.tenant.id, may: () => true },
    services: deps as ActServices,
    actor: { personId: null, person: "the tenant, by API", address: request.ip, isProgram: true },
  };
  return await asProblem(() => runAct(act, caller, input));
}

/** Runs what administration does, and tells what is wrong with its input as this API does. */
export async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidInput) {
      const message = error.faults.map((fault) => `${fault.field} ${fault.message}`);
      throw new Problem("validation", { message });
    }
    if (error instanceof NotFound) {
      const isGone = OF_TENANT.includes(error.field);
      throw new Problem(isGone ? "unauthorized" : "notFound", { cause: error });
    }
    if (error instanceof TooLate) throw new Problem("conflict", { message: error.message });
    throw error;
  }
}
