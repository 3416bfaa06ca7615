import { documented, oneOf, orNull, secretOnce, time } from "@belfry/contracts/fields";
import { Type } from "@sinclair/typebox";
import { defineAct, defineRead, note, OPERATE, optional } from "../act.ts";
import { invalid, NotFound } from "../input-error.ts";
import { isoTimes } from "../pages.ts";
import { deleteIdentities } from "./identities.ts";
import {
  firstOperatorToken,
  invite,
  listInvitations,
  showInvitation,
  withdrawInvitation,
} from "./invitations.ts";
import {
  BY_EMAIL,
  EXAMPLE_PERSON,
  EXAMPLE_RESET,
  mailed,
  mailLink,
  PERSON,
  publishMail,
  ResetLink,
  resetLinkOf,
} from "./members.ts";
import { makeResetLink } from "./password-resets.ts";
import { personAt, requireSomebodyElse } from "./people.ts";
import { listOperators, lockOperators, lockPerson, updatePerson } from "./person-rows.ts";
import { deleteSessions } from "./sessions.ts";
import { removeTwoFactor } from "./two-factor.ts";

/** Acts on the people who run the platform, and what operators do for people of any tenant. */

const person = documented({ description: "the person's id or address" });
const ofPerson = Type.Object({ person });
const ANN = { person: "ann@example.com" };
const ID = "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79";

const Operator = Type.Object({ ...PERSON, operator: Type.Boolean() }, { title: "Operator" });

export const showOperators = defineRead({
  name: "operator list",
  http: "GET /operators",
  access: OPERATE,
  summary: "List operators",
  input: Type.Object({}),
  output: Type.Array(Operator),
  example: {
    input: {},
    output: [
      {
        ...EXAMPLE_PERSON,
        email: "olga@example.com",
        name: "Olga",
        operator: true,
      },
    ],
  },
  run: async ({ db }) => (await listOperators(db)).map(isoTimes),
});

export const inviteOperator = defineAct({
  name: "operator invite",
  http: "POST /operators/invitations",
  access: OPERATE,
  summary: "Create a link that makes a person an operator; it is printed only now and works once",
  input: Type.Object({
    email: optional(
      documented({}),
      "for this person alone, for a week; without it for whoever holds the link, for a day, and only " +
        "while there is no operator",
    ),
  }),
  output: Type.Object({
    link: secretOnce("The link"),
    email: orNull(Type.String()),
    role: oneOf(["operator", "owner", "editor", "viewer"]),
    expiresAt: time("When the link stops working"),
    mailed,
  }),
  example: {
    input: { email: "olga@example.com" },
    output: {
      mailed: true,
      link: "https://admin.example.com/join/…",
      email: "olga@example.com",
      role: "operator",
      expiresAt: "2026-11-27T09:00:00.000Z",
    },
  },
  flags: { email: "--email <address>" },
  async run({ db, actor, services }, { email: address }) {
    const url = await services.adminUrl();
    let token: string | undefined;
    if (address === undefined) token = await firstOperatorToken(db);
    else {
      const by = { invitedBy: actor.personId, byOperator: true };
      ({ token } = await invite(db, { tenantId: null, role: "operator", email: address, ...by }));
    }
    if (token === undefined) throw invalid("email", "must be given: there is an operator already");
    const { email, role, expiresAt } = await showInvitation(db, token);
    const link = `${url}/join/${token}`;
    const event = email === null ? null : await mailLink(db, "invitation", { email, link });
    return { output: isoTimes({ link, email, role, expiresAt, mailed: event !== null }), event };
  },
  // The link for the first operator has no address to record.
  audit: (_, { output: { email } }) =>
    email === null ? undefined : note("operator.invite", email, { tenantId: null }),
  after: ({ services }, _, { event }) => publishMail(services, event),
});

export const withdrawOperatorInvitation = defineAct({
  name: "operator withdraw",
  http: "DELETE /operators/invitations/:invitation",
  access: OPERATE,
  summary: "Withdraw an operator's invitation: its link stops working",
  input: Type.Object({
    invitation: documented({ description: "whom it invited, or its id" }),
  }),
  output: Type.Object({ email: orNull(Type.String()), withdrawn: Type.Literal(true) }),
  example: {
    input: { invitation: "olga@example.com" },
    output: { email: "olga@example.com", withdrawn: true },
  },
  flags: { invitation: "--email <address>" },
  async run({ db }, { invitation }) {
    const address = invitation.trim().toLowerCase();
    const all = await listInvitations(db, null);
    const found = all.find(({ id, email }) => id === invitation || email === address);
    if (found === undefined) {
      throw new NotFound("person", `nobody has an invitation at ${JSON.stringify(invitation)}`);
    }
    const { email } = await withdrawInvitation(db, null, found.id);
    return { output: { email, withdrawn: true as const } };
  },
  audit: (_, { output }) => note("invitation.withdraw", output.email ?? "", { tenantId: null }),
});

export const makeAnyResetLink = defineAct({
  name: "operator reset-link",
  http: "POST /people/:person/reset-link",
  access: OPERATE,
  summary:
    "Create a link with which a person of any tenant, or an operator, sets a new password; it is printed only now, " +
    "works once, for an hour, and ends the one before",
  input: ofPerson,
  output: ResetLink,
  example: { input: ANN, output: EXAMPLE_RESET },
  flags: BY_EMAIL,
  async run({ db, actor, services }, { person: whom }) {
    const url = await services.adminUrl();
    const { id } = await personAt(db, whom);
    const made = await makeResetLink(db, id, { personId: actor.personId, ownerOf: null });
    return await resetLinkOf(db, url, made);
  },
  audit: (_, { output: { email, expiresAt } }) =>
    note("account.reset-link", email, { tenantId: null, after: { expiresAt } }),
  after: ({ services }, _, { event }) => publishMail(services, event),
});

export const removeTotp = defineAct({
  name: "operator remove-totp",
  http: "POST /people/:person/remove-two-factor",
  access: OPERATE,
  summary:
    "Remove two-factor authentication from a person of any tenant, or an operator, who has lost the " +
    "authenticator app; all their sessions end",
  input: ofPerson,
  output: Type.Object({
    email: Type.String(),
    removed: Type.Literal(true),
    sessionsEnded: Type.Integer(),
  }),
  example: { input: ANN, output: { email: "ann@example.com", removed: true, sessionsEnded: 1 } },
  flags: BY_EMAIL,
  async run({ db, actor }, { person: whom }) {
    const { id, email } = await personAt(db, whom);
    const { sessionsEnded } = await removeTwoFactor(db, id, actor.personId);
    return { output: { email, removed: true as const, sessionsEnded } };
  },
  audit: (_, { output: { email, sessionsEnded } }) =>
    note("account.two-factor-remove", email, { tenantId: null, after: { sessionsEnded } }),
});

export const disconnectIdentities = defineAct({
  name: "operator disconnect-identity",
  http: "POST /people/:person/disconnect-identity",
  access: OPERATE,
  summary:
    "Disconnect a person of any tenant, or an operator, from their account at the provider of OpenID Connect; " +
    "all their sessions end, and who has no password needs a reset link",
  input: ofPerson,
  output: Type.Object({
    email: Type.String(),
    disconnected: Type.Array(Type.Object({ issuer: Type.String(), email: orNull(Type.String()) })),
    sessionsEnded: Type.Integer(),
  }),
  example: {
    input: ANN,
    output: {
      email: "ann@example.com",
      sessionsEnded: 1,
      disconnected: [{ issuer: "https://login.example.com", email: "ann@example.com" }],
    },
  },
  flags: BY_EMAIL,
  async run({ db, actor }, { person: whom }) {
    const { id } = await personAt(db, whom);
    const { email } = await requireSomebodyElse(db, id, actor.personId, "disconnect your account");
    // A sign-in with the account locks the same row, so none can begin a session after this commit.
    await lockPerson(db, id);
    const disconnected = await deleteIdentities(db, id);
    if (disconnected.length === 0) {
      throw invalid("person", "this person has no connected account");
    }
    const sessionsEnded = await deleteSessions(db, id, { except: undefined });
    return { output: { email, disconnected, sessionsEnded } };
  },
  audit: (_, { output: { email, disconnected: identities, sessionsEnded } }) =>
    note("account.identities-remove", email, {
      tenantId: null,
      before: { identities },
      after: { sessionsEnded },
    }),
});

export const removeOperator = defineAct({
  name: "operator remove",
  http: "DELETE /operators/:person",
  access: OPERATE,
  summary: "Remove a person's rights as an operator; the last operator keeps them",
  input: Type.Object({
    person: documented({ description: "of the person, as `operator list` shows it" }),
  }),
  output: Type.Object({
    id: Type.String(),
    email: Type.String(),
    removed: Type.Literal(true),
  }),
  example: { input: ANN, output: { id: ID, email: "ann@example.com", removed: true } },
  flags: BY_EMAIL,
  async run({ db }, { person: whom }) {
    const address = whom.trim().toLowerCase();
    const all = await lockOperators(db);
    const found = all.find(({ id, email }) => id === whom || email === address);
    if (found === undefined) {
      throw new NotFound("person", `there is no operator ${JSON.stringify(whom)}`);
    }
    if (all.length === 1) throw invalid("person", "is the last operator");
    await updatePerson(db, found.id, { operator: false });
    return { output: { id: found.id, email: found.email, removed: true as const } };
  },
  audit: (_, { output }) => note("operator.remove", output.email, { tenantId: null }),
});
