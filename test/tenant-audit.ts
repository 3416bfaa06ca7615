import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RecordedStatement } from "@belfry/testing/recorded-statements";

/**
 * Checks that every statement on tenants' rows names the tenant: the statements that shipped code sent in a whole run
 * and those in SQL functions. Whether it is the right tenant is for the isolation tests to find.
 */

const FUNCTIONS = "packages/database/src/functions/";
const TABLES = new URL("../packages/database/schema/current.sql", import.meta.url);

/** Files whose statements may touch rows of any tenant, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "packages/administration/src/alerts/tell-alerts.ts":
    "whether anybody, of whichever tenant, is told of alerts in a chat",
  "packages/administration/src/erasure/erase-import-lines.ts":
    "imports that were found as the tenant's",
  "packages/administration/src/templates/work-bundles.ts": "whoever's bundles are due: all in turn",
  "packages/database/src/functions/cancel-events.ts": "ids that this sender claimed",
  "packages/database/src/schema-files.ts": "migrations change the tables of every tenant",
  "packages/administration/src/dead-letters/dead-letter-rows.ts":
    "an operator's list is over all tenants; attempts go by the delivery that was found",
  "packages/administration/src/dead-letters/dead-letter-messages.ts":
    "a message of the queue carries ids of many tenants; only operators come here",
  "packages/administration/src/templates/publication.ts":
    "the platform's event types are everybody's: operators see how many of them came",
  "packages/administration/src/erasure/user-data.ts":
    "by ids read with the tenant just before, or which of these ids are still there",
  "packages/administration/src/events/event-facts.ts": "attempts of deliveries just read",
  "packages/administration/src/people/invitations.ts":
    "by the token or by the row that was found with its tenant",
  "packages/administration/src/people/person-rows.ts":
    "a person's own memberships, in whichever tenants they are",
  "packages/administration/src/providers/provider-rows.ts":
    "an operator's command may show a provider by its id alone",
  "packages/administration/src/providers/stored-secrets.ts": "keys are changed for all tenants",
  "packages/administration/src/templates/template-rows.ts":
    "an operator's command may name a template by its id alone",
  "packages/administration/src/search/search-rows.ts":
    "ids that a tenant's hash led to; the events are then read with the tenant",
  "packages/database/src/outbox.ts": "an operator's command may name a message by its id alone",
  "packages/database/src/functions/accept-events.sql": "ids that this call stored, or refuses",
  "packages/administration/src/users/import-rows.ts":
    "the import was found as the tenant's, and is held",
  "packages/administration/src/users/topic-rows.ts": "topics that are being deleted: all in turn",
  "packages/administration/src/users/work-imports.ts": "whoever's imports are due: all in turn",
  "packages/database/src/broadcast-variables.ts":
    "by the reference that an event of the tenant holds",
  "packages/database/src/functions/attachments.ts": "the upload that this call began",
  "packages/sending/src/send-delivery.ts": "ids that the queue carried",
  "packages/database/src/functions/attachments.sql":
    "files of events that the call stores or deletes; lock_attachments asks for their tenant",
  "packages/database/src/functions/broadcasts.sql":
    "ids of events and broadcasts that the call holds",
  "packages/database/src/functions/cancel-events.sql": "ids that the call found as the tenant's",
  "packages/database/src/functions/claim-deliveries.sql": "ids that the queue carried",
  "packages/database/src/functions/claim-webhooks.sql": "ids that the queue carried",
  "packages/database/src/functions/count-broadcasts.sql":
    "broadcasts of every tenant that are due, and the ids of their own events",
  "packages/database/src/functions/delete-events.sql": "ids that the caller read as the tenant's",
  "packages/database/src/functions/delete-webhook-messages.sql":
    "ids that the caller read as the tenant's, or whoever's are old",
  "packages/database/src/functions/devices.sql": "deliveries and devices that this sender took",
  "packages/database/src/functions/digests.sql": "the digest of a claim, found with its tenant",
  "packages/database/src/functions/dispatch-events.sql": "ids that the queue carried",
  "packages/database/src/functions/dispatch-events.ts": "ids that the queue carried",
  "packages/database/src/functions/expire-batch.sql": "what rests is spared in every tenant",
  "packages/database/src/functions/expand-broadcasts.sql":
    "broadcasts of every tenant that are due, and the providers that they name",
  "packages/database/src/functions/fail-dispatch.sql": "the event that the queue carried",
  "packages/database/src/functions/read-rest.sql": "whether anything rests, whoever's it is",
  "packages/database/src/functions/release-deliveries.sql": "whoever's are due: all in turn",
  "packages/database/src/functions/release-deliveries.ts": "whoever's are due: all in turn",
  "packages/database/src/functions/reserve-sends.sql": "by the provider that will send",
  "packages/database/src/functions/send-broadcasts.sql": "broadcasts that the call holds",
  "packages/database/src/functions/settle-deliveries.sql": "ids that this sender claimed",
  "packages/database/src/functions/time-deliveries.sql":
    "digests that were found with their tenants, and their deliveries",
  "packages/database/src/functions/wake-events.sql": "whoever's are due: all in turn",
  "packages/sending/src/circuits.ts": "by the provider that was called",
  "packages/sending/src/leases.ts": "deliveries that this sender holds",
  "services/admin/src/tenant/count-activity.ts": "the figures of all tenants are counted at once",
  "services/ingest-api/src/image-route.ts": "whoever knows the name of an image may read it",
  "services/dispatcher/src/expiry.ts": "what is old is old in every tenant",
  "services/dispatcher/src/search-rows.ts": "the walk of search is over all tenants",
  "services/dispatcher/src/search.ts": "the walk of search is over all tenants",
  "services/dispatcher/src/sensitive-events.ts": "what has ended is erased in every tenant",
  "services/dispatcher/src/sweeper.ts": "what is stuck is stuck in every tenant",
  "services/dispatcher/src/dispatcher-metrics.ts": "how much waits is counted over all tenants",
  "packages/http-api/src/tenant-directory.ts": "keys that callers have shown, of whichever tenants",
  "services/ingest-api/src/vendor-webhooks.ts": "all keys at once: kept by tenant and kind",
  "packages/sending/src/make-message.ts":
    "versions that claimed deliveries name, with their templates: of every tenant in a batch",
};

interface Unnamed {
  file: string;
  tables: readonly string[];
  sql: string;
}

/** Prints statements that name no tenant and have no exception, and unused exceptions. Returns whether there are none. */
export async function auditTenants(folder: string): Promise<boolean> {
  const { faults, needless } = await recordedUnnamed(folder);
  for (const { file, tables, sql } of faults) {
    process.stderr.write(`${file}: names no tenant for ${tables.join(", ")}: ${sql}\n`);
  }
  for (const file of needless) process.stderr.write(`${file}: needs no exception any more\n`);
  return faults.length === 0 && needless.length === 0;
}

export async function recordedUnnamed(
  folder: string,
): Promise<{ faults: Unnamed[]; needless: string[] }> {
  const tables = tablesOfTenants(await readFile(TABLES, "utf8"));
  const statements = [...(await recorded(folder)), ...(await functions())];
  const unnamed = statements.flatMap((statement) => withoutTenant(statement, tables));
  const files = new Set(unnamed.map(({ file }) => file));
  return {
    faults: unnamed.filter(({ file }) => EXCEPTIONS[file] === undefined),
    needless: Object.keys(EXCEPTIONS).filter((file) => !files.has(file)),
  };
}

/** The names of the tables with a column `tenant_id`. */
export function tablesOfTenants(schema: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = "", columns = ""] of schema.matchAll(/^create table (\w+) \(\n([^;]*)/gm)) {
    if (/^ {2}tenant_id /m.test(columns)) names.add(name);
  }
  return names;
}

export function withoutTenant(
  { sql, file }: RecordedStatement,
  tables: ReadonlySet<string>,
): Unnamed[] {
  const text = sql.replace(/--.*$/gm, "").replace(/\s+/g, " ").replaceAll('"', "").trim();
  const touched = [...text.matchAll(/\b(?:from|join|update|into|using) (?:only )?(\w+)/gi)]
    .map(([, name = ""]) => name)
    .filter((name) => tables.has(name));
  if (touched.length === 0 || NAMES_TENANT.test(text)) return [];
  return [{ file, tables: [...new Set(touched)], sql: text.slice(0, 300) }];
}

/** Matches the tenant as a condition, as one of several compared columns, or as a written column. */
const NAMES_TENANT =
  /\btenant_id (?:=|<>|>|in\b|is\b)|= (?:\w+\.)?tenant_id\b|\((?:\w+\.)?tenant_id, [^)]*\) (?:=|in\b|>)|insert into \w+(?: as \w+)? \([^)]*\btenant_id\b/i;

async function recorded(folder: string): Promise<RecordedStatement[]> {
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  const all = texts.flatMap((text) => JSON.parse(text) as RecordedStatement[]);
  // `functions` reads the statements of functions one by one.
  return all.filter(({ sql }) => !sql.includes("create or replace function"));
}

async function functions(): Promise<RecordedStatement[]> {
  const folder = new URL(`../${FUNCTIONS}`, import.meta.url);
  const found: RecordedStatement[] = [];
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".sql")) continue;
    const file = FUNCTIONS + name;
    const text = await readFile(new URL(name, folder), "utf8");
    for (const sql of text.split(";")) found.push({ file, sql });
  }
  return found;
}
