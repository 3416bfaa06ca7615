import type { KeyRole } from "@belfry/contracts/key-roles";
import { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { keyRoleValue } from "./flag-values.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

const ROLE_WORDS =
  "what it may do: all (the default), trigger (send, move and cancel events) or read (change nothing)";

/** `tenant key create|list|revoke`: keys one by one; `tenant rotate-key` changes all of a role. */
export function keyCommand(): Command {
  const key = new Command("key").description("A tenant's API keys, one by one");

  key
    .command("create <tenantId>")
    .description("One more key, printed this once, beside those that are there")
    .option("--name <name>", "what people call it")
    .option("--role <role>", ROLE_WORDS, keyRoleValue)
    .action((tenantId: string, input: { name?: string; role?: KeyRole }) =>
      withDatabase(async ({ db }) => {
        const { addApiKey } = await import("@belfry/administration/tenants/api-keys");
        const { keyNoted } = await import("@belfry/administration/tenants/tenant-notes");
        const made = await auditedCommand(
          db,
          (transaction) => addApiKey(transaction, tenantId, input),
          (added) => keyNoted("create", tenantId, added),
        );
        await printJson({ tenantId, ...made });
      }),
    );

  key
    .command("list <tenantId>")
    .description("The live keys, newest first: id, first characters, name, role, last use")
    .action((tenantId: string) =>
      withDatabase(async ({ db }) => {
        const { showTenant } = await import("@belfry/administration/tenants/tenants");
        await printJson((await showTenant(db, tenantId)).apiKeys);
      }),
    );

  key
    .command("revoke <tenantId> <keyId>")
    .description("No service takes it any more, within 5 s; `tenant key list` shows the id")
    .action((tenantId: string, keyId: string) =>
      withDatabase(async ({ db }) => {
        const { revokeApiKey } = await import("@belfry/administration/tenants/api-keys");
        const { keyNoted } = await import("@belfry/administration/tenants/tenant-notes");
        const gone = await auditedCommand(
          db,
          (transaction) => revokeApiKey(transaction, tenantId, keyId),
          (revoked) => keyNoted("revoke", tenantId, revoked),
        );
        await printJson({ tenantId, id: keyId, ...gone, revoked: true });
      }),
    );

  return key;
}
