import { encodeRealtimeMessage, type RealtimeMessage } from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { userSubjectToken } from "@belfry/contracts/user-subject";
import type { NatsLink } from "./nats.ts";

/**
 * Tells a user's open pages, on every gateway, without waiting. Never throws: false while NATS is away, for
 * buffered it would come minutes late.
 */
export function announce(
  nats: NatsLink | undefined,
  prefix: string,
  tenantId: string,
  message: RealtimeMessage,
): boolean {
  if (nats?.isConnected() !== true) return false;
  const subject = realtimeSubject(prefix, tenantId, userSubjectToken(message.userId));
  try {
    nats.nc.publish(subject, encodeRealtimeMessage(message));
    return true;
  } catch {
    // It is being closed.
    return false;
  }
}
