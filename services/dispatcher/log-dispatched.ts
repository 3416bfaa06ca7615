import type {
  DispatchResult,
  EventDispatch,
  StoredEvent,
} from "@belfry/database/functions/dispatch-events";
import type { Logger } from "@belfry/service/logger";

/**
 * One line an event, with the trace id that finds it: the channels that are on their way to a sender,
 * those that rest until their time or their tenant's turn, those gathered or throttled, and whether a push was published.
 */
export function logDispatched(
  log: Logger,
  event: StoredEvent,
  dispatch: EventDispatch,
  result: DispatchResult,
): void {
  const { id: eventId, tenantId, traceId } = event;
  const released: string[] = [];
  const resting: string[] = [];
  const unwritten: string[] = [];
  for (const { id, channel } of dispatch.deliveries) {
    if (result.unwritten.has(id)) unwritten.push(channel);
    else (result.released.has(id) ? released : resting).push(channel);
  }
  const published = result.published.has(eventId);
  const more = unwritten.length > 0 && { unwritten };
  log.info({ tenantId, eventId, traceId, released, resting, ...more, published }, "dispatched");
}
