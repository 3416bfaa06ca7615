import { type EventReport, readEvent } from "@belfry/administration/events/event-report";
import { eventually } from "@belfry/testing/eventually";
import type { Stack } from "./stack.ts";

/** The outcome of an event that was sent on every channel. */
export const SENT = { EMAIL: "accepted", SMS: "accepted", PUSH: "published" };
const RESTING = new Set(["accepted", "skipped", "failed", "published", "expired", "unknown"]);

/** Waits for the final state of every channel of the event and returns `{EMAIL: "accepted", SMS: "skipped: …"}`. */
export async function outcomeOf(stack: Stack, eventId: string): Promise<Record<string, string>> {
  const report = await settled(stack, eventId);
  return Object.fromEntries(
    Object.entries(report.channels).map(([channel, { status, reason }]) => [
      channel,
      reason === null ? status : `${status}: ${reason}`,
    ]),
  );
}

export async function settled(stack: Stack, eventId: string): Promise<EventReport> {
  return await eventually(async () => {
    const report = await readEvent(stack.db, eventId);
    const channels = Object.values(report.channels);
    if (channels.length < 3 || !channels.every(({ status }) => RESTING.has(status))) {
      throw new Error(`not settled: ${JSON.stringify(report.channels)}`);
    }
    return report;
  });
}

/** The messages that the sandbox provider received for an event. */
export async function outboxOf(
  stack: Stack,
  eventId: string,
): Promise<{ channel: string; recipient: string; subject: string | null; text: string }[]> {
  return await stack.db
    .selectFrom("outbox")
    .select(["channel", "recipient", "subject", "text"])
    .where("event_id", "=", eventId)
    .orderBy("channel")
    .execute();
}
