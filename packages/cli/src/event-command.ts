import { auditedAfter } from "@belfry/administration/audited";
import { cancelEvents } from "@belfry/administration/events/cancel-events";
import { cancelNote } from "@belfry/administration/events/cancel-note";
import { showEvent } from "@belfry/administration/events/event-report";
import { resendEvent, resentNote } from "@belfry/administration/events/resend-event";
import { listScheduled, moveEvent, moveNote } from "@belfry/administration/events/scheduled-events";
import { findAnything } from "@belfry/administration/search/find-anything";
import { encodeQueueMessage } from "@belfry/contracts/queue-message";
import { SCHEDULED_DEFAULT_LIMIT } from "@belfry/contracts/scheduled";
import { eventsSubject } from "@belfry/contracts/streams";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { commandLineActor } from "./command-line-actor.ts";
import { integerValue } from "./flag-values.ts";
import { publishOnce } from "./publish-once.ts";
import { onDatabase, type Session } from "./session.ts";

const SEARCH_DEFAULT_LIMIT = 50;

interface CancelFlags {
  tenant: string;
  cancelKey?: string[];
  eventId?: string[];
  user?: string[];
}

export function define(event: Command): void {
  event
    .command("show <id>")
    .description("An event with its timeline, by Belfry's id or the tenant's eventId (the newest)")
    .option("--tenant <id>", "look in one tenant only")
    .action(
      onDatabase(({ db }, id: string, flags: { tenant?: string }) =>
        showEvent(db, id, flags.tenant),
      ),
    );
  event
    .command("search <text>")
    .description(
      "Events and users by what a customer gives: an address, a phone number, an id of the user, the event, a message or a trace",
    )
    .option("--tenant <id>", "look in one tenant only")
    .option("--limit <n>", "how many at most", integerValue, SEARCH_DEFAULT_LIMIT)
    .action(
      onDatabase(async ({ db, keys }, text: string, flags: { tenant?: string; limit: number }) => {
        const { tenant: tenantId, limit } = flags;
        return await findAnything(db, await keys(), { text, tenantId, limit });
      }),
    );
  event
    .command("resend <id>")
    .description(
      "Send an event again, as a new one with the same content and today's templates; it counts towards the tenant's limits",
    )
    .requiredOption("--tenant <id>", "the tenant's id")
    .action(
      onDatabase((session, id: string, { tenant }: { tenant: string }) =>
        resend(session, tenant, id),
      ),
    );
  event
    .command("cancel")
    .description("Stop what has not reached anybody of a tenant's events; at most 1,000 a call")
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--cancel-key <key...>", "of all events whose triggers had one of these keys")
    .option("--event-id <id...>", "of these events, by Belfry's ids or the tenant's eventIds")
    .option("--user <id...>", "only those of these users")
    .action(onDatabase(cancel));
  event
    .command("scheduled")
    .description("A tenant's scheduled events, the next one first")
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--limit <n>", "how many at most", integerValue, SCHEDULED_DEFAULT_LIMIT)
    .option("--after <next>", "continue after a page: its next")
    .action(
      onDatabase(({ db }, { tenant, ...page }: ScheduledFlags) => listScheduled(db, tenant, page)),
    );
  event
    .command("move")
    .description("Change when a scheduled event is sent; a time in the past means now")
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--id <id>", "Belfry's id of the event")
    .requiredOption("--send-at <time>", "ISO 8601 with an offset, as 2026-11-20T09:30:00+01:00")
    .action(onDatabase(move));
}

interface ScheduledFlags {
  tenant: string;
  limit: number;
  after?: string;
}

interface MoveFlags {
  tenant: string;
  id: string;
  sendAt: string;
}

async function resend({ db, pool }: Session, tenantId: string, id: string) {
  // Where NATS is away or not known, the dispatcher finds the event by itself, minutes later.
  const publish = (newId: string, traceId: string) =>
    publishOnce(async (prefix) => ({
      subject: eventsSubject(prefix, "express"),
      message: encodeQueueMessage([{ id: newId, traceId }]),
    }));
  const newEvent = await auditedAfter(
    db,
    commandLineActor(),
    () => resendEvent({ db, pool, publish }, tenantId, id),
    (made) => resentNote(tenantId, id, made),
  );
  return { tenantId, id, newEvent };
}

async function move({ audited }: Session, { tenant: tenantId, id, sendAt }: MoveFlags) {
  const moved = await audited(
    (transaction) => moveEvent(transaction, tenantId, { id, sendAt }),
    (done) => moveNote(tenantId, id, done),
  );
  return { id, sendAt: moved.after.toISOString() };
}

async function cancel({ audited }: Session, flags: CancelFlags) {
  const { tenant, cancelKey, eventId, user } = flags;
  if ((cancelKey === undefined) === (eventId === undefined)) {
    throw new CommandError("--cancel-key: give either --cancel-key or --event-id");
  }
  const request = {
    ...(cancelKey === undefined ? {} : { cancelKeys: cancelKey }),
    ...(eventId === undefined ? {} : { eventIds: eventId }),
    ...(user === undefined ? {} : { userIds: user }),
  };
  return await audited(
    (transaction) => cancelEvents(transaction, tenant, request),
    (result) => cancelNote(tenant, request, result),
  );
}
