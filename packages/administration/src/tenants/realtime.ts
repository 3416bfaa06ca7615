import { flag, text } from "@belfry/contracts/fields";
import { PERSONAL_CHANNEL, realtimeChannel, SYSTEM_CHANNEL } from "@belfry/contracts/identifiers";
import { addressedMessage, tenantDisconnect } from "@belfry/contracts/realtime-message";
import type { Database } from "@belfry/database/connection";
import { findTargetChannels } from "@belfry/database/template-channels";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct, note, OPERATE, optional } from "../act.ts";
import { invalid } from "../input-error.ts";
import { requireTenant, tenantById, tenantNotFound } from "./tenant-rows.ts";

export interface UserOfTenant {
  tenantId: string;
  /** The tenant's own id of its user. */
  userId: string;
}

const userId = text({ description: "the user's id, as the tenant's events name it" });

export const newRealtimeEpoch = defineAct({
  name: "realtime new-epoch",
  http: "POST /realtime-epoch",
  access: OPERATE,
  summary: "Make every client load its history again, for use after a restore",
  description:
    "A restored database assigns offsets again that clients have already seen. With a new epoch, each client forgets its position at its next reconnect and loads its history again.",
  input: Type.Object({}),
  output: Type.Object({ epoch: Type.String() }),
  example: { input: {}, output: { epoch: "5f3a9c01" } },
  async run({ db }) {
    const { rows } = await sql<{ epoch: string }>`
      update realtime_epoch set epoch = substr(md5(gen_random_uuid()::text), 1, 8)
      returning epoch`.execute(db);
    return { output: { epoch: rows[0]!.epoch } };
  },
  audit: (_, { output: after }) => note("realtime.new-epoch", "every client", { after }),
});

export const disconnectUsers = defineAct({
  name: "realtime disconnect",
  http: "POST /realtime-disconnections",
  access: { scope: "tenant", person: "owner" },
  effect: "outside",
  summary:
    "Close all connections of a user, or of all users of a tenant; their pages stay disconnected until they are reloaded",
  description:
    "This does not stop the user from getting a new token, so the tenant's backend must first refuse new tokens. The command needs NATS_URL, or uses the local stack's.",
  input: Type.Object({
    userId: optional(userId),
    all: optional(flag(), "all users of the tenant"),
  }),
  output: Type.Object({
    tenantId: Type.String(),
    userId: optional(Type.String()),
    sent: Type.Boolean({ description: "Always true" }),
  }),
  example: {
    input: { userId: "user-1" },
    output: { tenantId: "acme", userId: "user-1", sent: true },
  },
  async run({ db, tenantId, services }, { userId: id, all = false }) {
    if ((id !== undefined) === all) throw invalid("userId or all", "one of the two is required");
    const tenant = await tenantById(db, tenantId);
    if (tenant === undefined) throw tenantNotFound(tenantId, "tenant");
    const owner = { tenantId, ...(id !== undefined && { userId: id }) };
    await services.disconnect(owner);
    return { output: { ...owner, sent: true }, name: tenant.name };
  },
  audit: ({ userId: id }, { name }) =>
    id === undefined ? note("tenant.disconnect", name) : note("user.disconnect", id),
});

/**
 * Returns the channels of a user. It runs, and is logged, before a person of the tenant gets a token for the user's
 * inbox.
 */
export const openInbox = defineAct({
  name: "user open-inbox",
  access: { scope: "tenant", person: "editor" },
  command: false,
  summary: "Open a user's live inbox",
  input: Type.Object({ userId }),
  output: Type.Object({
    channels: Type.Array(Type.String(), { description: "The user's realtime channels" }),
  }),
  example: { input: { userId: "user-1" }, output: { channels: ["personal#user-1"] } },
  async run({ db, tenantId }, { userId: id }) {
    const targets = await findTargetChannels(db, tenantId);
    const names = new Set([SYSTEM_CHANNEL, PERSONAL_CHANNEL, ...targets]);
    return { output: { channels: [...names].map((name) => realtimeChannel(name, id)) } };
  },
  audit: ({ userId: target }) => note("user.open-inbox", target),
});

/**
 * Returns the NATS message that closes every connection of a user, or of all users of a tenant, on every gateway. The
 * close code is 3503, after which clients do not reconnect. Throws `NotFound`.
 */
export async function disconnectMessage(
  db: Database,
  { tenantId, userId: id }: { tenantId: string; userId?: string },
  prefix: string,
): Promise<{ subject: string; message: string }> {
  await requireTenant(db, tenantId, "tenant");
  if (id === undefined) return tenantDisconnect(prefix, tenantId);
  return addressedMessage(prefix, tenantId, { version: 1, kind: "disconnect", userId: id });
}
