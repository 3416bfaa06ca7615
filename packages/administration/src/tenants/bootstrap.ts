import { emailAddress } from "@belfry/contracts/addresses";
import { field, text } from "@belfry/contracts/fields";
import { faultsOf } from "@belfry/contracts/problems";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { optional } from "../act.ts";
import { writeNote } from "../audited.ts";
import { fileText } from "../file-text.ts";
import { invalid, refuseFaults } from "../input-error.ts";
import { hashPassword, passwordFault } from "../people/password.ts";
import { insertPerson, listOperators } from "../people/person-rows.ts";
import { apiKeyFault, knownApiKey } from "./api-key.ts";
import { createTenant } from "./tenants.ts";

const Bootstrap = Type.Object({
  tenant: optional(
    Type.Object({
      name: text(),
      apiKey: field<string>({ type: "string" }, (value) => apiKeyFault(value, "tenant")),
    }),
  ),
  operator: optional(
    Type.Object({
      email: field<string>({ type: "string" }, (value) =>
        typeof value === "string" && emailAddress(value.trim()) !== undefined
          ? undefined
          : "must be an email address",
      ),
      name: text(),
      password: field<string>({ type: "string" }, (value) =>
        typeof value === "string" ? passwordFault(value)?.message : "must be a string",
      ),
    }),
  ),
});

/** Lets only one replica at a time apply the file, because several may start at once. */
const LOCK = sql`select pg_advisory_xact_lock(hashtext('belfry bootstrap'))`;
const ACTOR = { personId: null, person: "BOOTSTRAP_FILE", address: "" };

/**
 * Creates the first tenant with its key if there is no tenant, and the first operator if there is none, from the JSON
 * of `BOOTSTRAP_FILE`. Returns what it has created. Throws `InvalidInput`, which contains no secret.
 */
export async function bootstrap(db: Database, json: string) {
  const { tenant, operator } = parsed(json);
  const password = operator && (await hashPassword(operator.password, { network: "bootstrap" }));
  return await db.transaction().execute(async (transaction) => {
    await LOCK.execute(transaction);
    const made: { tenantId?: string; operator?: string } = {};
    const hasTenant = await transaction.selectFrom("tenants").select("id").limit(1).execute();
    if (tenant !== undefined && hasTenant.length === 0) {
      const { id } = await createTenant(transaction, { name: tenant.name, keyName: "bootstrap" });
      const { prefix, sha256 } = knownApiKey(tenant.apiKey);
      // Replaces the key that was made with the tenant, which nobody has seen.
      await transaction
        .updateTable("api_keys")
        .set({ prefix, sha256 })
        .where("tenant_id", "=", id)
        .execute();
      const after = { name: tenant.name, apiKey: prefix };
      const note = { tenantId: id, action: "tenant.create", target: tenant.name, after };
      await writeNote(transaction, ACTOR, note);
      made.tenantId = id;
    }
    if (operator !== undefined && password && (await listOperators(transaction)).length === 0) {
      const email = operator.email.trim().toLowerCase();
      const { name } = operator;
      await insertPerson(transaction, {
        name,
        email,
        password,
        operator: true,
        isSignInTrusted: true,
      });
      const after = { email, role: "operator" };
      const note = { tenantId: null, action: "member.join", target: email, after };
      await writeNote(transaction, ACTOR, note);
      made.operator = email;
    }
    return made;
  });
}

function parsed(json: string): Static<typeof Bootstrap> {
  let value: unknown;
  try {
    value = JSON.parse(fileText(json));
  } catch {
    // The parser's own message quotes the text, which holds secrets.
    throw invalid("the file", "must be JSON");
  }
  refuseFaults(faultsOf(Bootstrap, value, "the file", ""));
  return value as Static<typeof Bootstrap>;
}
