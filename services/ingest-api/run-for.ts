import type { Act, Given } from "@belfry/administration/act";
import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import { runFor } from "@belfry/http-api/as-problem";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { FastifyRequest } from "fastify";

export interface RunDeps {
  db: Database;
  secretKeys: SecretKeys;
  allowPrivateWebhooks: boolean;
}

/** Runs an act for the tenant of a request's key; faults are told as this API does. */
export type RunFor = <I extends TObject, O extends TSchema>(
  request: FastifyRequest,
  act: Act<I, O>,
  input: Given<Static<I>>,
) => Promise<Static<O>>;

export function createRunFor({ db, secretKeys, allowPrivateWebhooks }: RunDeps): RunFor {
  const deps = {
    db,
    keys: async () => secretKeys,
    allowPrivateWebhooks: async () => allowPrivateWebhooks,
  };
  return (request, act, input) => runFor(deps, request, act, input);
}
