import {
  ALERT_KINDS,
  ALERTS,
  type Alert,
  type AlertReader,
  defaultAlerts,
} from "@belfry/contracts/alerts";
import { documented, field, oneOf, orNull } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { defineAct, defineRead, note, OPERATE } from "../act.ts";
import { NotFound } from "../input-error.ts";
import { BY_EMAIL, memberOf } from "../people/members.ts";
import { personAt } from "../people/people.ts";
import { OWN } from "../tenants/tenant-credentials.ts";
import { tenantById, tenantNotFound } from "../tenants/tenant-rows.ts";
import { MAIL_FAULTS, type MailFault, mailTenant } from "./own-mail.ts";

/** Acts that choose who gets which alerts by mail, and which tenant sends them. */

const owner = documented({ description: "id or address of an owner of the tenant" });
const operator = documented({ description: "id or address of an operator" });
const alerts = field<Alert[]>(
  {
    type: "array",
    items: { type: "string", enum: ALERT_KINDS },
    description: `of which the person is told: ${ALERT_KINDS.join(", ")}`,
  },
  (value) =>
    Array.isArray(value) && value.every((kind) => ALERT_KINDS.includes(kind))
      ? undefined
      : `must be a list of ${ALERT_KINDS.join(", ")}`,
);
const ALERTS_FLAGS = { ...BY_EMAIL, alerts: "--alerts <list|none>" };

const Choices = Type.Object(
  {
    email: Type.String(),
    alerts: Type.Array(
      Type.Object({
        kind: oneOf(ALERT_KINDS),
        title: Type.String(),
        when: Type.String({ description: "When it is sent" }),
        on: Type.Boolean(),
      }),
    ),
  },
  { title: "Alerts" },
);
type Choices = {
  email: string;
  alerts: (Pick<(typeof ALERTS)[Alert], "title" | "when"> & Chosen)[];
};
type Chosen = { kind: Alert; on: boolean };

const EXAMPLE = { person: "ann@example.com" };
const CHOSEN: Alert[] = ["provider-paused", "dead-letters"];
const EXAMPLE_CHOICES = choicesOf(EXAMPLE.person, CHOSEN);

export const showAlerts = defineRead({
  name: "alert list",
  http: "GET /members/:person/alerts",
  access: OWN,
  summary: "Show the tenant's alerts that an owner gets by mail",
  input: Type.Object({ person: owner }),
  output: Choices,
  example: { input: EXAMPLE, output: EXAMPLE_CHOICES },
  flags: BY_EMAIL,
  run: ({ db, tenantId }, { person }) => showChoices(db, person, tenantId),
});

export const chooseAlerts = defineAct({
  name: "alert set",
  http: "PUT /members/:person/alerts",
  access: OWN,
  summary: "Choose the tenant's alerts that an owner gets by mail",
  input: Type.Object({ person: owner, alerts }),
  output: Choices,
  example: { input: { ...EXAMPLE, alerts: CHOSEN }, output: EXAMPLE_CHOICES },
  flags: ALERTS_FLAGS,
  run: ({ db, tenantId }, input) => choose(db, tenantId, input),
  audit: (_, { before, output }) => noteOf(before, output),
});

export const showAllAlerts = defineRead({
  name: "alert list-all",
  http: "GET /people/:person/alerts",
  access: OPERATE,
  summary: "Show the alerts about all tenants that an operator gets by mail",
  input: Type.Object({ person: operator }),
  output: Choices,
  example: { input: EXAMPLE, output: EXAMPLE_CHOICES },
  flags: BY_EMAIL,
  run: ({ db }, { person }) => showChoices(db, person, null),
});

export const chooseAllAlerts = defineAct({
  name: "alert set-all",
  http: "PUT /people/:person/alerts",
  access: OPERATE,
  summary: "Choose the alerts about all tenants that an operator gets by mail",
  input: Type.Object({ person: operator, alerts }),
  output: Choices,
  example: { input: { ...EXAMPLE, alerts: CHOSEN }, output: EXAMPLE_CHOICES },
  flags: ALERTS_FLAGS,
  run: ({ db }, input) => choose(db, null, input),
  audit: (_, { before, output }) => ({ ...noteOf(before, output), tenantId: null }),
});

const Sender = Type.Object(
  {
    tenantId: orNull(Type.String({ description: "null: Belfry sends no mail of its own" })),
    tenantName: orNull(Type.String()),
    cause: orNull(oneOf(Object.keys(MAIL_FAULTS) as MailFault[])),
    fault: orNull(Type.String({ description: "Why it sends nothing, in words; null if it sends" })),
  },
  { title: "MailTenant" },
);
const EXAMPLE_SENDER = {
  tenantId: "0198f3a17c2e7b1d",
  tenantName: "Platform",
  cause: null,
  fault: null,
};

export const showMailTenant = defineRead({
  name: "alert sender",
  http: "GET /mail-tenant",
  access: OPERATE,
  summary:
    "Show the tenant that sends Belfry's own mail: alerts, invitations, password reset links",
  input: Type.Object({}),
  output: Sender,
  example: { input: {}, output: EXAMPLE_SENDER },
  run: ({ db }) => mailTenant(db),
});

export const chooseMailTenant = defineAct({
  name: "alert set-sender",
  http: "PUT /mail-tenant",
  access: OPERATE,
  summary: "Choose the tenant that sends Belfry's own mail by its providers, or none",
  description:
    "Whoever has its messages has the password reset links of everybody. Belfry sends nothing while it has members who " +
    "are not operators, or API keys for management.",
  input: Type.Object({ tenant: orNull(documented({ description: "the tenant's id" })) }),
  output: Sender,
  example: { input: { tenant: EXAMPLE_SENDER.tenantId }, output: EXAMPLE_SENDER },
  flags: { tenant: "--sender <id>" },
  async run({ db }, { tenant }) {
    const before = await mailTenant(db);
    if (tenant !== null && (await tenantById(db, tenant)) === undefined) {
      throw tenantNotFound(tenant, "tenant");
    }
    await db.updateTable("configuration_version").set({ mail_tenant_id: tenant }).execute();
    return { output: await mailTenant(db), before };
  },
  audit: (_, { before, output }) =>
    note("platform.mail-tenant", output.tenantName ?? "none", {
      tenantId: null,
      before: { tenantId: before.tenantId },
      after: { tenantId: output.tenantId },
    }),
});

function noteOf(before: Choices, after: Choices) {
  const kinds = (choices: Choices) => ({ alerts: chosen(choices) });
  return note("account.alerts", after.email, { before: kinds(before), after: kinds(after) });
}

function chosen({ alerts: all }: Choices): Alert[] {
  return all.filter(({ on }) => on).map(({ kind }) => kind);
}

async function choose(
  db: Database,
  tenantId: string | null,
  input: { person: string; alerts: Alert[] },
) {
  const { id, email } = await readerOf(db, input.person, tenantId);
  const before = await showChoices(db, id, tenantId);
  const kinds = ALERT_KINDS.filter((kind) => input.alerts.includes(kind));
  await db
    .insertInto("alert_choices")
    .values({ person_id: id, tenant_id: tenantId, kinds })
    .onConflict((conflict) => conflict.columns(["person_id", "tenant_id"]).doUpdateSet({ kinds }))
    .execute();
  return { output: choicesOf(email, kinds), before };
}

async function showChoices(db: Database, whom: string, tenantId: string | null): Promise<Choices> {
  const { id, email } = await readerOf(db, whom, tenantId);
  const row = await db
    .selectFrom("alert_choices")
    .select("kinds")
    .where("person_id", "=", id)
    .where("tenant_id", tenantId === null ? "is" : "=", tenantId)
    .executeTakeFirst();
  const reader: AlertReader = tenantId === null ? "operator" : "owner";
  return choicesOf(email, row?.kinds ?? defaultAlerts(reader));
}

function choicesOf(email: string, kinds: readonly string[]): Choices {
  const all = ALERT_KINDS.map((kind) => {
    const { title, when } = ALERTS[kind];
    return { kind, title, when, on: kinds.includes(kind) };
  });
  return { email, alerts: all };
}

/** Finds an owner of the tenant, or an operator if `tenantId` is null. Throws `NotFound`. */
async function readerOf(db: Database, whom: string, tenantId: string | null) {
  if (tenantId !== null) {
    const member = await memberOf(db, tenantId, whom);
    if (member.role === "owner") return member;
    throw new NotFound("person", "is not an owner of the tenant");
  }
  const person = await personAt(db, whom);
  if (person.operator) return person;
  throw new NotFound("person", "is not an operator");
}
