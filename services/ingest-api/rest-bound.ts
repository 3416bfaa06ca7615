import { Problem } from "@belfry/contracts/problems";
import { daysOfMs, daysWords, mostRestMs, restRule } from "@belfry/contracts/retention";
import type { EventOptions } from "@belfry/contracts/trigger";
import type { Tenant } from "@belfry/http-api/tenant-directory";

/** Whether an event is asked for later than now. Throws a 422 Problem where that is too late for its retention. */
export function requireWithinRetention(
  { sendAt, delaySeconds }: EventOptions,
  { kept }: Tenant,
  deps: { now(): Date },
): boolean {
  const restMs =
    sendAt === undefined ? (delaySeconds ?? 0) * 1000 : Date.parse(sendAt) - deps.now().getTime();
  if (restMs <= 0) return false;
  const mostMs = mostRestMs(kept);
  if (restMs <= mostMs) return true;
  const days = daysWords(daysOfMs(mostMs));
  const bound =
    sendAt === undefined
      ? `delaySeconds must be at most ${mostMs / 1000}, which is ${days}`
      : `sendAt must be at most ${days} from now`;
  throw new Problem("validation", {
    message: [`${bound}: ${restRule(kept)}`],
  });
}
