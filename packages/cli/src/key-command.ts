import { addApiKey, revokeApiKey } from "@belfry/administration/tenants/api-keys";
import { keyNoted } from "@belfry/administration/tenants/tenant-notes";
import { showTenant } from "@belfry/administration/tenants/tenants";
import type { KeyRole } from "@belfry/contracts/key-roles";
import type { Command } from "commander";
import { keyRoleValue } from "./flag-values.ts";
import { onDatabase } from "./session.ts";

const ROLE_WORDS =
  "what it may do: all (the default; every call except management), trigger (send, move and cancel events), read (change nothing), manage (templates, categories, users) or provision (manage, and change providers and endpoints)";

/** `tenant key create|list|revoke`: keys one by one; `tenant rotate-key` changes all of a role. */
export function addKeyCommands(tenant: Command): void {
  const key = tenant.command("key").description("A tenant's API keys, one by one");

  key
    .command("create <tenantId>")
    .description("One more key, printed this once, beside those that are there")
    .option("--name <name>", "what people call it")
    .option("--role <role>", ROLE_WORDS, keyRoleValue)
    .action(
      onDatabase(
        async ({ audited }, tenantId: string, input: { name?: string; role?: KeyRole }) => {
          const made = await audited(
            (transaction) => addApiKey(transaction, tenantId, input),
            (added) => keyNoted("create", tenantId, added),
          );
          return { tenantId, ...made };
        },
      ),
    );

  key
    .command("list <tenantId>")
    .description("The live keys, newest first: id, first characters, name, role, last use")
    .action(
      onDatabase(async ({ db }, tenantId: string) => (await showTenant(db, tenantId)).apiKeys),
    );

  key
    .command("revoke <tenantId> <keyId>")
    .description("No service takes it any more, within 5 s; `tenant key list` shows the id")
    .action(
      onDatabase(async ({ audited }, tenantId: string, keyId: string) => {
        const gone = await audited(
          (transaction) => revokeApiKey(transaction, tenantId, keyId),
          (revoked) => keyNoted("revoke", tenantId, revoked),
        );
        return { tenantId, id: keyId, ...gone, revoked: true };
      }),
    );
}
