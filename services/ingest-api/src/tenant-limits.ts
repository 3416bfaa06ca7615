import { Problem } from "@belfry/contracts/problems";
import type { TenantLimits } from "@belfry/database/functions/accept-events";

interface LimitHeaders {
  policy: string;
  left: string;
}

/** Headers by limits object. The events of a batch share one object, so its headers are built once. */
const written = new WeakMap<TenantLimits, LimitHeaders>();

/** Returns the headers of the IETF draft ratelimit-headers: the policy and the remaining quota of each limit. */
export function limitHeaders(limits: TenantLimits): LimitHeaders {
  let headers = written.get(limits);
  if (headers === undefined) {
    headers = writeHeaders(limits);
    written.set(limits, headers);
  }
  return headers;
}

function writeHeaders(limits: TenantLimits): LimitHeaders {
  const minute = `"per-minute";q=${limits.perMinute};w=60`;
  const minuteLeft = `"per-minute";r=${limits.minuteRemaining};t=${limits.minuteWaitSeconds}`;
  if (limits.dailyCap === null) return { policy: minute, left: minuteLeft };
  return {
    policy: `${minute}, "per-day";q=${limits.dailyCap};w=86400`,
    left: `${minuteLeft}, "per-day";r=${limits.dayRemaining};t=${limits.dayWaitSeconds}`,
  };
}

export type ExceededLimit = "minute" | "day";

/** Returns the 429 Problem of section 7 of the specification. */
export function limitProblem(exceeded: ExceededLimit, tenantName: string, limits: TenantLimits) {
  const [limit, wait] =
    exceeded === "minute"
      ? [`${limits.perMinute}/min`, limits.minuteWaitSeconds]
      : [`${limits.dailyCap}/day`, limits.dayWaitSeconds];
  const headers = limitHeaders(limits);
  return new Problem("tooManyRequests", {
    message: `Rate limit exceeded for tenant ${tenantName}. Limit: ${limit}`,
    retryAfterSeconds: Math.max(1, wait),
    headers: { "ratelimit-policy": headers.policy, ratelimit: headers.left },
  });
}

/**
 * Remembers which tenants are over their limit per minute, for the time that the database returned, so that a flood
 * costs no queries. `now` is a monotonic clock, in milliseconds.
 */
export class KnownRefusals {
  readonly #refusals = new Map<string, { limits: TenantLimits; at: number; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note(tenantId: string, limits: TenantLimits): void {
    const at = this.#now();
    const until = at + Math.max(1, limits.minuteWaitSeconds) * 1000;
    this.#refusals.set(tenantId, { limits, at, until });
  }

  /** Returns the limits of a tenant that is still refused, with the remaining waits; undefined for other tenants. */
  find(tenantId: string): TenantLimits | undefined {
    const refusal = this.#refusals.get(tenantId);
    if (refusal === undefined) return undefined;
    const now = this.#now();
    if (now >= refusal.until) {
      this.#refusals.delete(tenantId);
      return undefined;
    }
    const passed = Math.floor((now - refusal.at) / 1000);
    const { limits } = refusal;
    return {
      ...limits,
      minuteWaitSeconds: Math.max(1, limits.minuteWaitSeconds - passed),
      dayWaitSeconds: Math.max(1, limits.dayWaitSeconds - passed),
    };
  }

  /** Forgets all refusals. Called when the configuration, and so perhaps a limit, has changed. */
  clear(): void {
    this.#refusals.clear();
  }
}
