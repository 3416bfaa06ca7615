import { ANY_KIND } from "@belfry/contracts/channels";
import { MAX_RETRY_AFTER_SECONDS } from "@belfry/contracts/delivery";
import type { SendOutcome } from "@belfry/contracts/sending";
import type { Clock } from "@belfry/providers/call-timeout";
import { LRUCache } from "lru-cache";

/** Chats take about one message a second at each address. */
const PACE_MS = 1_000;
/** Turns are given for so long ahead. Messages beyond ask again later, so that a turn nobody comes for costs little. */
const TURNS_MS = 5 * 60_000;
/** If more targets are in use, the pace of those that were used longest ago is forgotten. */
const MAX_TARGETS = 50_000;

interface Target {
  /** When the next message may begin, in ms of the clock. */
  freeAt: number;
  /** The last turn that a waiting message was told to come for. */
  lastTurn: number;
}

/** Keeps this sender's messages to one target of a chat apart, so that the vendor does not refuse them. */
export interface TargetPace {
  /** Takes the target's turn. Returns 0 if the message may begin now, else the time in ms until it may ask again. */
  take(provider: { id: string; kind: string }, recipient: string): number;
  /** Lets the target rest for as long as its vendor asks. */
  note(provider: { id: string; kind: string }, recipient: string, outcome: SendOutcome): void;
}

export function createTargetPace(
  { nowMs }: Pick<Clock, "nowMs">,
  random: () => number,
): TargetPace {
  const targets = new LRUCache<string, Target>({ max: MAX_TARGETS });
  const targetOf = (providerId: string, recipient: string): Target => {
    // `slack:#ops` and `slack:ops` may be the same address.
    const key = `${providerId} ${recipient.replace(":#", ":")}`;
    const target = targets.get(key) ?? { freeAt: 0, lastTurn: 0 };
    targets.set(key, target);
    return target;
  };
  return {
    take({ id, kind }, recipient) {
      if (kind === ANY_KIND) return 0;
      const target = targetOf(id, recipient);
      const now = nowMs();
      if (now >= target.freeAt) {
        // A message that comes a little late, because releases take time, does not move the turns behind it.
        const isOnTime = now - target.freeAt < PACE_MS;
        target.freeAt = (isOnTime ? target.freeAt : now) + PACE_MS;
        return 0;
      }
      // Each waiting message gets a turn of its own, so that they do not all ask again each second.
      const turn = Math.max(target.freeAt, target.lastTurn + PACE_MS);
      const last = Math.max(target.freeAt, now + TURNS_MS);
      if (turn > last) return last - now - (random() * TURNS_MS) / 2;
      target.lastTurn = turn;
      return turn - now;
    },
    note({ id }, recipient, { class: outcomeClass, retryAfterSeconds }) {
      if (outcomeClass !== "deferred" || retryAfterSeconds === null) return;
      const restMs = Math.min(retryAfterSeconds, MAX_RETRY_AFTER_SECONDS) * 1000;
      const target = targetOf(id, recipient);
      target.freeAt = Math.max(target.freeAt, nowMs() + restMs);
    },
  };
}
