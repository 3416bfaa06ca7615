import { ADDRESSES } from "@belfry/contracts/addresses";
import {
  ALERT_KINDS,
  ALERTS,
  type Alert,
  type AlertReader,
  defaultAlerts,
} from "@belfry/contracts/alerts";
import { TO_CHAT } from "@belfry/contracts/channels";
import { documented, field, oneOf, orNull } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct, defineRead, note, OPERATE, optional } from "../act.ts";
import { invalid, NotFound } from "../input-error.ts";
import { BY_EMAIL, memberOf } from "../people/members.ts";
import { personAt } from "../people/people.ts";
import { findProviders, providerReaching } from "../providers/provider-rows.ts";
import { OWN } from "../tenants/tenant-credentials.ts";
import { tenantById, tenantNotFound } from "../tenants/tenant-rows.ts";
import { MAIL_FAULTS, type MailFault, mailTenant } from "./own-mail.ts";

/** Acts that choose who gets which alerts by mail and in a chat, and which tenant sends them. */

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
const { form: CHAT_FORM, read: readChat } = ADDRESSES.recipientChat;
const chat = optional(
  orNull(
    field<string>({ type: "string" }, (value) =>
      typeof value === "string" && readChat(value) !== undefined
        ? undefined
        : `must be ${CHAT_FORM}`,
    ),
  ),
  "chat address that is told as well, as slack:#ops or pagerduty:ops; null: none; default: as it was",
);
const ALERTS_FLAGS = { ...BY_EMAIL, alerts: "--alerts <list|none>" };

const Choices = Type.Object(
  {
    email: Type.String(),
    chat: orNull(Type.String({ description: "The chat address that is told as well" })),
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
  chat: string | null;
  alerts: (Pick<(typeof ALERTS)[Alert], "title" | "when"> & Chosen)[];
};
type Chosen = { kind: Alert; on: boolean };

const EXAMPLE = { person: "ann@example.com" };
const CHOSEN: Alert[] = ["provider-paused", "dead-letters"];
const CHAT = "slack:#ops";
const EXAMPLE_CHOICES = choicesOf(EXAMPLE.person, CHOSEN, CHAT);

export const showAlerts = defineRead({
  name: "alert list",
  http: "GET /members/:person/alerts",
  access: OWN,
  summary: "Show the tenant's alerts that an owner gets by mail and in a chat",
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
  summary: "Choose the tenant's alerts that an owner gets by mail and in a chat",
  description: "The tenant's own providers post to the chat.",
  input: Type.Object({ person: owner, alerts, chat }),
  output: Choices,
  example: { input: { ...EXAMPLE, alerts: CHOSEN, chat: CHAT }, output: EXAMPLE_CHOICES },
  flags: ALERTS_FLAGS,
  run: ({ db, tenantId }, input) => choose(db, tenantId, input),
  audit: (_, { before, output }) => noteOf(before, output),
});

export const showAllAlerts = defineRead({
  name: "alert list-all",
  http: "GET /people/:person/alerts",
  access: OPERATE,
  summary: "Show the alerts about all tenants that an operator gets by mail and in a chat",
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
  summary: "Choose the alerts about all tenants that an operator gets by mail and in a chat",
  description: "The providers of the tenant that sends Belfry's own mail post to the chat.",
  input: Type.Object({ person: operator, alerts, chat }),
  output: Choices,
  example: { input: { ...EXAMPLE, alerts: CHOSEN, chat: CHAT }, output: EXAMPLE_CHOICES },
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
  const kinds = (choices: Choices) => ({ alerts: chosen(choices), chat: choices.chat });
  return note("account.alerts", after.email, { before: kinds(before), after: kinds(after) });
}

function chosen({ alerts: all }: Choices): Alert[] {
  return all.filter(({ on }) => on).map(({ kind }) => kind);
}

async function choose(
  db: Database,
  tenantId: string | null,
  input: { person: string; alerts: Alert[]; chat?: string | null | undefined },
) {
  const { id, email } = await readerOf(db, input.person, tenantId);
  const before = await showChoices(db, id, tenantId);
  const kinds = ALERT_KINDS.filter((kind) => input.alerts.includes(kind));
  const { chat = before.chat } = input;
  if (chat !== null && chat !== before.chat) {
    await requireChat(db, tenantId, chat);
    await sql`select make_alert_chat_template()`.execute(db);
  }
  await db
    .insertInto("alert_choices")
    .values({ person_id: id, tenant_id: tenantId, kinds, chat })
    .onConflict((conflict) =>
      conflict.columns(["person_id", "tenant_id"]).doUpdateSet({ kinds, chat }),
    )
    .execute();
  return { output: choicesOf(email, kinds, chat), before };
}

/** Refuses an address that no provider of the tenant that sends the alerts reaches. */
async function requireChat(db: Database, owners: string | null, chat: string): Promise<void> {
  const tenantId = owners ?? (await mailTenant(db)).tenantId;
  if (tenantId === null)
    throw invalid("chat", "cannot be reached: no tenant sends Belfry's own mail");
  const all = await findProviders(db, { tenantId, channel: TO_CHAT });
  const active = all.filter((one) => one.active);
  providerReaching(active, chat, "chat");
}

async function showChoices(db: Database, whom: string, tenantId: string | null): Promise<Choices> {
  const { id, email } = await readerOf(db, whom, tenantId);
  const row = await db
    .selectFrom("alert_choices")
    .select(["kinds", "chat"])
    .where("person_id", "=", id)
    .where("tenant_id", tenantId === null ? "is" : "=", tenantId)
    .executeTakeFirst();
  const reader: AlertReader = tenantId === null ? "operator" : "owner";
  return choicesOf(email, row?.kinds ?? defaultAlerts(reader), row?.chat ?? null);
}

function choicesOf(email: string, kinds: readonly string[], chat: string | null): Choices {
  const all = ALERT_KINDS.map((kind) => {
    const { title, when } = ALERTS[kind];
    return { kind, title, when, on: kinds.includes(kind) };
  });
  return { email, chat, alerts: all };
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
