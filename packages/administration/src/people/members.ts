import { OWN_MAIL } from "@belfry/contracts/alerts";
import { documented, oneOf, orNull, secretOnce, time } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { type ActServices, defineAct, defineRead, note } from "../act.ts";
import { acceptOwnMail } from "../alerts/own-mail.ts";
import type { Actor } from "../audited.ts";
import { invalid, NotFound } from "../input-error.ts";
import { isoTimes } from "../pages.ts";
import { OWN } from "../tenants/tenant-credentials.ts";
import { holdTenant, requireTenant } from "../tenants/tenant-rows.ts";
import { invite, listInvitations, withdrawInvitation } from "./invitations.ts";
import { makeResetLink } from "./password-resets.ts";
import { deleteMembership, listMembers, personById, putMembership } from "./person-rows.ts";

/** Acts on the people who work on a tenant in the Admin UI: members, invitations, roles and reset links. */

const ROLES = ["owner", "editor", "viewer"] as const;
const role = oneOf(ROLES, { description: "what the person may do" });
const person = documented({ description: "the member's id or address, as `member list` shows it" });
/** The flag by which the command line names a person. */
export const BY_EMAIL = { person: "--email <address>" };

/** The fields of a person who signs in to the Admin UI. */
export const PERSON = {
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  operator: Type.Boolean({ description: "Whether the person is an operator of the platform" }),
  createdAt: time("When the account was made"),
  twoFactor: Type.Boolean({ description: "Signing in by password asks for a code" }),
  connected: Type.Boolean({ description: "An account at a sign-in provider is connected" }),
};
const Member = Type.Object(
  {
    ...PERSON,
    role: oneOf(ROLES),
    byOidc: Type.Boolean({ description: "A group of the sign-in provider gave the role" }),
  },
  { title: "Member" },
);
export const Invitation = Type.Object(
  {
    id: Type.String(),
    tenantId: orNull(Type.String({ description: "null: an invitation of an operator" })),
    tenantName: orNull(Type.String()),
    role: oneOf(["operator", ...ROLES]),
    email: orNull(Type.String({ description: "null: for anybody with the link" })),
    byOperator: Type.Boolean(),
    createdAt: time("When it was created"),
    expiresAt: time("When its link stops working"),
  },
  { title: "Invitation" },
);
export const mailed = Type.Boolean({ description: "Belfry has sent the link by mail, too" });
export const ResetLink = Type.Object({
  link: secretOnce("The link"),
  email: Type.String(),
  expiresAt: time("When the link stops working"),
  mailed,
});
export const EXAMPLE_RESET = {
  link: "https://admin.example.com/reset/…",
  mailed: true,
  email: "ann@example.com",
  expiresAt: "2026-11-20T10:00:00.000Z",
};

const ID = "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79";
export const EXAMPLE_PERSON = {
  id: ID,
  createdAt: "2026-11-20T09:00:00.000Z",
  twoFactor: true,
  connected: false,
};
const ANN = {
  ...EXAMPLE_PERSON,
  email: "ann@example.com",
  name: "Ann",
  operator: false,
  role: "editor" as const,
  byOidc: false,
};
const INVITED = { id: ID, email: "ann@example.com", role: "editor" as const };

export const showMembers = defineRead({
  name: "member list",
  http: "GET /members",
  access: { scope: "tenant", person: "viewer" },
  summary: "A tenant's members with their roles, and open invitations",
  input: Type.Object({}),
  output: Type.Object({ members: Type.Array(Member), invitations: Type.Array(Invitation) }),
  example: { input: {}, output: { members: [ANN], invitations: [] } },
  async run({ db, tenantId }) {
    await requireTenant(db, tenantId, "id");
    const members = (await listMembers(db, tenantId)).map(isoTimes);
    return { members, invitations: (await listInvitations(db, tenantId)).map(isoTimes) };
  },
});

export const inviteMember = defineAct({
  name: "member invite",
  http: "POST /invitations",
  access: OWN,
  summary: "Invite a person by a link; it is shown once, and works once, for a week",
  input: Type.Object({ email: documented({ description: "the person's email address" }), role }),
  output: Type.Object({
    id: Type.String(),
    link: secretOnce("The link"),
    email: orNull(Type.String()),
    role,
    expiresAt: time("When the link stops working"),
    mailed,
  }),
  example: {
    input: { email: "ann@example.com", role: "editor" },
    output: {
      ...INVITED,
      mailed: true,
      link: "https://admin.example.com/join/…",
      expiresAt: "2026-11-27T09:00:00.000Z",
    },
  },
  async run({ db, tenantId, actor, services }, { email: address, role: given }) {
    const url = await services.adminUrl();
    const { token, invitation } = await invite(db, {
      tenantId,
      role: given,
      email: address,
      invitedBy: actor.personId,
      byOperator: await isOperator(db, actor),
    });
    const { id, email, expiresAt, tenantName } = invitation;
    const link = `${url}/join/${token}`;
    const to = { email: address, link, tenant: tenantName ?? "", role: given };
    const event = await mailLink(db, "invitation", to);
    const output = { id, link, email, role: given, expiresAt, mailed: event !== null };
    return { output: isoTimes(output), event };
  },
  audit: (_, { output: { email, role: given } }) =>
    note("member.invite", email ?? "", { after: { email, role: given } }),
  after: ({ services }, _, { event }) => publishMail(services, event),
});

export const withdrawMemberInvitation = defineAct({
  name: "member withdraw",
  http: "DELETE /invitations/:invitation",
  access: OWN,
  summary: "Withdraw an invitation: its link stops working",
  input: Type.Object({
    invitation: documented({ description: "its id, as `member list` shows it" }),
  }),
  output: Type.Object({
    id: Type.String(),
    email: orNull(Type.String()),
    role: Invitation.properties.role,
    withdrawn: Type.Literal(true),
  }),
  example: { input: { invitation: ID }, output: { ...INVITED, withdrawn: true } },
  flags: { invitation: "--invitation <id>" },
  async run({ db, tenantId }, { invitation }) {
    const gone = await withdrawInvitation(db, tenantId, invitation);
    const { id, email, role: given } = gone;
    return { output: { id, email, role: given, withdrawn: true as const } };
  },
  audit: (_, { output }) => note("invitation.withdraw", output.email ?? ""),
});

export const changeRole = defineAct({
  name: "member role",
  http: "PUT /members/:person/role",
  access: OWN,
  summary: "Change a member's role; the last owner stays an owner",
  input: Type.Object({ person, role }),
  output: Member,
  example: { input: { person: "ann@example.com", role: "editor" }, output: ANN },
  flags: BY_EMAIL,
  async run({ db, tenantId }, { person: whom, role: given }) {
    const before = await memberToChange(db, tenantId, whom, given === "owner");
    await putMembership(db, { personId: before.id, tenantId, role: given });
    return { output: { ...isoTimes(before), role: given, byOidc: false }, before };
  },
  audit: (_, { before, output }) =>
    note("member.role", output.email, {
      before: { role: before.role },
      after: { role: output.role },
    }),
});

export const removeMember = defineAct({
  name: "member remove",
  http: "DELETE /members/:person",
  access: OWN,
  summary: "Remove a person from the tenant; the last owner cannot be removed",
  input: Type.Object({ person }),
  output: Type.Object({ ...Member.properties, removed: Type.Literal(true) }),
  example: { input: { person: "ann@example.com" }, output: { ...ANN, removed: true } },
  flags: BY_EMAIL,
  async run({ db, tenantId }, { person: whom }) {
    const gone = await memberToChange(db, tenantId, whom, false);
    await deleteMembership(db, tenantId, gone.id);
    return { output: { ...isoTimes(gone), removed: true as const } };
  },
  audit: (_, { output: { email, role: given } }) =>
    note("member.remove", email, { before: { role: given } }),
});

export const makeMemberResetLink = defineAct({
  name: "member reset-link",
  http: "POST /members/:person/reset-link",
  access: OWN,
  summary: "Create a link with which a member sets a new password; it works once, for an hour",
  description:
    "An owner can make it for members who belong to no other tenant and are no operators; an operator for everybody.",
  input: Type.Object({ person }),
  output: ResetLink,
  example: { input: { person: "ann@example.com" }, output: EXAMPLE_RESET },
  flags: BY_EMAIL,
  async run({ db, tenantId, actor, services }, { person: whom }) {
    const url = await services.adminUrl();
    const { id } = await memberOf(db, tenantId, whom);
    const ownerOf = (await isOperator(db, actor)) ? null : tenantId;
    const made = await makeResetLink(db, id, { personId: actor.personId, ownerOf });
    return await resetLinkOf(db, url, made);
  },
  audit: (_, { output: { email, expiresAt } }) =>
    note("account.reset-link", email, { after: { expiresAt } }),
  after: ({ services }, _, { event }) => publishMail(services, event),
});

export async function resetLinkOf(
  db: Database,
  adminUrl: string,
  { token, person: { email }, expiresAt }: Awaited<ReturnType<typeof makeResetLink>>,
) {
  const link = `${adminUrl}/reset/${token}`;
  const event = await mailLink(db, "passwordReset", { email, link });
  return { output: isoTimes({ link, email, expiresAt, mailed: event !== null }), event };
}

/**
 * Mails a link to the person whom it is for, in the person's language if one is chosen. Returns the id of the event to
 * publish, or null if no mail is sent.
 */
export async function mailLink(
  db: Database,
  of: "invitation" | "passwordReset",
  variables: { email: string; link: string; tenant?: string; role?: string },
): Promise<string | null> {
  const email = variables.email.trim().toLowerCase();
  const person = await db
    .selectFrom("people")
    .select("language")
    .where("email", "=", email)
    .executeTakeFirst();
  const language = person?.language ?? null;
  const mail = { eventType: OWN_MAIL[of], email, language, variables: { ...variables, email } };
  const [event = null] = await acceptOwnMail(db, [mail]);
  return event;
}

/** Publishes the event. Call it after the commit. If it fails, the dispatcher's sweeper publishes the event. */
export async function publishMail(services: ActServices, event: string | null): Promise<void> {
  if (event !== null) await services.publishEvent(event, event).catch(() => undefined);
}

/** Finds a member by id or address. Throws `NotFound`, also for people outside the tenant. */
export async function memberOf(db: Database, tenantId: string, whom: string) {
  const address = whom.trim().toLowerCase();
  const members = await listMembers(db, tenantId);
  const found = members.find(({ id, email }) => id === whom || email === address);
  if (found !== undefined) return found;
  throw new NotFound("person", `the tenant has no member ${JSON.stringify(whom)}`);
}

async function memberToChange(db: Database, tenantId: string, whom: string, keepsOwner: boolean) {
  // Changes of a tenant's people run one after another, so that the last two owners cannot both leave.
  await holdTenant(db, tenantId);
  const member = await memberOf(db, tenantId, whom);
  const owners = (await listMembers(db, tenantId)).filter((one) => one.role === "owner");
  if (member.role === "owner" && owners.length === 1 && !keepsOwner) {
    throw invalid("role", "the tenant would have no owner");
  }
  return member;
}

/** Whether the actor has an operator's rights: an operator in the Admin UI, or the command line, without a person. */
async function isOperator(db: Database, { personId }: Actor): Promise<boolean> {
  return personId === null || (await personById(db, personId))?.operator === true;
}
