import { addressedMessage } from "@belfry/contracts/addressed-message";
import type { RealtimeMessage } from "@belfry/contracts/realtime-message";
import type { NatsLink } from "./nats.ts";

/**
 * Tells a user's open pages, on every gateway, without waiting. Never throws: false while NATS is away, for
 * buffered it would come minutes late.
 */
export function announce(
  nats: Pick<NatsLink, "nc" | "isConnected"> | undefined,
  prefix: string,
  tenantId: string,
  what: RealtimeMessage,
): boolean {
  if (nats?.isConnected() !== true) return false;
  const { subject, message } = addressedMessage(prefix, tenantId, what);
  try {
    nats.nc.publish(subject, message);
    return true;
  } catch {
    // It is being closed.
    return false;
  }
}
