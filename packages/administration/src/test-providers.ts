import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import type { Static } from "@sinclair/typebox";
import { putProvider } from "./providers/providers.ts";
import { actsIn } from "./test-acts.ts";

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
