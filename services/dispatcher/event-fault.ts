import { isDataFault } from "@belfry/database/data-fault";

/** Thrown while one event was routed or rendered: what it holds, or its template, is to blame. */
export class EventFault extends Error {
  override readonly name = "EventFault";
}

/**
 * Whether an error comes from an event of the batch, so that the rest of the batch may go well without
 * it. Every other (connections, missing rights, a bug on the way out) would come back for each.
 */
export function isEventFault(err: unknown): boolean {
  return err instanceof EventFault || isDataFault(err);
}
