import { chatKindOf } from "@belfry/contracts/addresses";
import { namesKind, type ProviderChannel, providersForKind } from "@belfry/contracts/channels";
import { storedReason } from "@belfry/contracts/reasons";
import type { SendOutcome } from "@belfry/contracts/sending";
import type {
  ClaimedDelivery,
  ClaimResult,
  DeliveryToClaim,
} from "@belfry/database/functions/claim-deliveries";
import { reserveSends } from "@belfry/database/functions/claim-deliveries";
import type { Settlement } from "@belfry/database/functions/settle-deliveries";
import type { Clock } from "@belfry/providers/call-timeout";
import type { FairSemaphore } from "@belfry/service/semaphore";
import { type Span, tracer } from "@belfry/service/tracing";
import type pg from "pg";
import type { ActiveProvider, ActiveProviders } from "./active-providers.ts";
import {
  type Attempt,
  type AttemptDeps,
  attemptDelivery,
  later,
  settled,
  settlementOf,
} from "./attempt-delivery.ts";
import type { Circuits } from "./circuits.ts";
import type { Begun } from "./deliveries-handler.ts";
import type { Leases } from "./leases.ts";
import type { StepContext } from "./next-step.ts";
import { countOutcome } from "./sending-metrics.ts";
import type { TargetPace } from "./target-pace.ts";

export interface SendDeliveryDeps extends AttemptDeps {
  permits: Permits;
  circuits: Circuits;
  slots: Pick<FairSemaphore, "release">;
  leases: Leases;
  /** Set for a channel whose addresses take only some messages a second. */
  pace?: TargetPace | undefined;
  /** Each of the following three functions gathers concurrent calls into one query of Postgres. */
  claim: (delivery: DeliveryToClaim) => Promise<ClaimResult>;
  settle: (settlement: Settlement) => Promise<boolean>;
  /** Whether the delivery's event or broadcast has been cancelled. */
  isCancelled: (deliveryId: string) => Promise<boolean>;
  /** Called when a delivery of a sensitive template has ended. */
  eraseVariables: (eventId: string) => Promise<void>;
  clock: Clock;
}

/** How long before its call, in ms, a waiting delivery is checked for a cancellation. */
export const LOOK_BEFORE_MS = 50;
/** The postponement if a better delivery for the probe is due soon. */
const NO_PROBE = { reason: null, delayMs: 2_000, spacingMs: 0 };

/** Begins as many of a tenant's deliveries as circuits and the provider's rate allow now, at most `held`. */
export async function beginDeliveries(
  tenantId: string,
  ids: string[],
  held: number,
  deps: SendDeliveryDeps,
): Promise<Begun> {
  const { only, ids: mine, others } = await deps.permits.forOneProvider(tenantId, ids);
  const permit = await deps.permits.ask(tenantId, Math.min(held, mine.length), { only });
  if (permit.kind === "wait") return { begun: [], rest: mine, others, postponement: permit };
  let next = mine;
  if (permit.kind === "send" && permit.probe) {
    const probe = await deps.circuits.chooseProbe(tenantId, mine);
    if (probe === undefined) {
      await deps.circuits.giveBack(permit.provider);
      return { begun: [], rest: mine, others, postponement: NO_PROBE };
    }
    next = [probe, ...mine.filter((id) => id !== probe)];
  }
  const count = permit.kind === "none" ? held : permit.startsAt.length;
  const begun = next
    .slice(0, count)
    .map((id, at) => sendDelivery({ id, tenantId, permit, at, only }, deps));
  return { begun, rest: [...next.slice(count), ...others] };
}

interface DeliveryToSend {
  id: string;
  tenantId: string;
  permit: Exclude<Permit, { kind: "wait" }>;
  /** The index of its start time in the permit. */
  at: number;
  /** The providers that may send it; undefined if all may. */
  only: Only | undefined;
}

/**
 * Claims one delivery, makes an attempt and settles it. If the provider refuses the message and another may accept it,
 * tries that one at once. The caller has acquired a slot, which this function releases as soon as the last call has
 * ended. Resolves to how long in ms another sender holds the delivery; 0 if none does.
 */
async function sendDelivery(item: DeliveryToSend, deps: SendDeliveryDeps) {
  const { id, tenantId } = item;
  let slotHeld = true;
  const giveSlot = () => {
    if (slotHeld) deps.slots.release(tenantId);
    slotHeld = false;
  };
  // Reserved probes without a call. They are freed at the end, so that other deliveries can probe.
  const probes = new Set<ActiveProvider>();
  const refusedBy = new Set<string>();
  let permit: DeliveryToSend["permit"] | undefined = item.permit;
  let at = item.at;
  try {
    while (permit !== undefined) {
      const given: DeliveryToSend["permit"] = permit;
      permit = undefined;
      if (given.kind === "send" && given.probe) probes.add(given.provider);
      const provider = given.kind === "send" ? given.provider : null;
      const startedAt = Date.now();
      const claimed = await deps.claim({ id, tenantId, provider });
      if (claimed.becomes === "busy") return claimed.waitMs;
      if (claimed.becomes === "gone") return 0;
      if (claimed.becomes !== "sending") {
        await noteEnd(item, claimed, deps);
        return 0;
      }
      const { delivery } = claimed;
      using _lease = deps.leases.hold({ id: delivery.id, attempt: delivery.attempt });
      if (given.kind === "none") throw new Error("a delivery was claimed for no provider");
      using span = startAttempt(delivery, deps.channel, startedAt);
      const attempt = (await isCancelledAtStart(delivery, given.startsAt[at]!, deps))
        ? settled(later(delivery, null))
        : await attemptInTurn(delivery, given.provider, { ...deps, span });
      let settlement: Settlement;
      if (attempt.kind === "settled") settlement = attempt.settlement;
      else {
        const isProbe = probes.delete(given.provider);
        await deps.circuits.note(given.provider, attempt.outcome, isProbe);
        const next = await nextProvider(item, given, attempt.outcome, refusedBy, deps);
        if (next.permit !== undefined) [permit, at] = [next.permit, 0];
        const { failover } = next;
        settlement = settlementOf(delivery, given.provider, attempt, failover, { ...deps, span });
      }
      if (permit === undefined) giveSlot();
      const isSettled = await settleDelivery(delivery, settlement, deps);
      if (span !== undefined) endAttempt(span, settlement);
      if (!isSettled) return 0;
    }
    return 0;
  } finally {
    giveSlot();
    if (permit?.kind === "send" && permit.probe) probes.add(permit.provider);
    for (const probe of probes) await deps.circuits.giveBack(probe);
  }
}

/** Makes an attempt, or lets the delivery wait for its recipient's turn. */
async function attemptInTurn(
  delivery: ClaimedDelivery,
  provider: ActiveProvider,
  deps: SendDeliveryDeps,
): Promise<Attempt> {
  const { pace } = deps;
  const recipient = delivery.recipient ?? "";
  const waitMs = pace?.take(provider, recipient) ?? 0;
  if (waitMs > 0) return settled(later(delivery, storedReason("target-turn"), waitMs));
  const attempt = await attemptDelivery(delivery, provider, deps);
  if (attempt.kind === "called") pace?.note(provider, recipient, attempt.outcome);
  return attempt;
}

/**
 * Returns whether another provider takes over after a call, and its permit if it may begin at once. Adds the provider
 * to `refusedBy` if it refuses this message.
 */
async function nextProvider(
  { id, tenantId, only }: DeliveryToSend,
  { provider, providers }: SendPermit,
  outcome: SendOutcome,
  refusedBy: Set<string>,
  { circuits, permits, log }: SendDeliveryDeps,
): Promise<{ failover: StepContext["failover"]; permit?: SendPermit }> {
  if (outcome.class !== "policy" && !outcome.ofOneMessage) {
    if (!circuits.isOpen(provider.id)) return { failover: undefined };
    const another = providers.some((one) => !circuits.isOpen(one.id));
    return { failover: another ? "now" : undefined };
  }
  refusedBy.add(provider.id);
  const permit = await permits.ask(tenantId, 1, { except: refusedBy, only }).catch((err) => {
    log.warn({ err, deliveryId: id }, "no other provider could be looked for");
  });
  if (permit?.kind === "send") return { failover: "now", permit };
  return { failover: permit?.kind === "none" ? undefined : "later" };
}

/**
 * Waits for the reserved start time of the call. Resolves to whether the delivery was cancelled meanwhile. Does not
 * check a digest, which is sent for its other events, or a delivery that waits at most LOOK_BEFORE_MS.
 */
async function isCancelledAtStart(
  delivery: ClaimedDelivery,
  startsAtMs: number,
  { clock, isCancelled, log }: SendDeliveryDeps,
): Promise<boolean> {
  const waitUntil = (atMs: number) =>
    new Promise<void>((resolve) => clock.after(Math.max(0, atMs - clock.nowMs()), resolve));
  const lookAtMs = startsAtMs - LOOK_BEFORE_MS;
  if (lookAtMs > clock.nowMs() && delivery.digest === undefined) {
    await waitUntil(lookAtMs);
    const isStopped = await isCancelled(delivery.id).catch((err) => {
      log.warn({ err, deliveryId: delivery.id }, "no look whether it was cancelled");
      return false;
    });
    if (isStopped) return true;
  }
  if (startsAtMs > clock.nowMs()) await waitUntil(startsAtMs);
  return false;
}

/**
 * Starts the span of an attempt. Returns undefined if tracing is off or the event is not sampled. An attempt at a
 * digest begins its own trace, with links to the digest's sampled events.
 */
export function startAttempt(
  delivery: ClaimedDelivery,
  channel: string,
  startedAt: number,
): Span | undefined {
  const tracing = tracer();
  if (tracing === undefined) return undefined;
  const { traceParent, digest } = delivery;
  const links = digest?.items.flatMap(({ traceParent: one }) => one ?? []) ?? [];
  if (traceParent === null && links.length === 0) return undefined;
  return tracing.start("attempt", {
    kind: "consumer",
    ...(traceParent === null ? { links } : { parent: traceParent }),
    attributes: {
      "belfry.tenant.id": delivery.tenantId,
      "belfry.delivery.id": delivery.id,
      // For a digest, the event id is the digest's.
      [digest === undefined ? "belfry.event.id" : "belfry.digest.id"]: delivery.eventId,
      "belfry.channel": channel,
      "belfry.attempt.number": delivery.attempt,
    },
    startedAt,
  });
}

export function endAttempt(span: Span, { status, end }: Settlement): void {
  const attributes = { "belfry.delivery.status": status, "belfry.attempt.class": end?.class };
  span.end(attributes, end?.class === "accepted" ? undefined : (end?.class ?? status));
}

export async function settleDelivery(
  delivery: ClaimedDelivery,
  settlement: Settlement,
  deps: SendDeliveryDeps,
): Promise<boolean> {
  const moved = await deps.settle(settlement);
  if (!moved) {
    const { id: deliveryId, tenantId, traceId, attempt } = delivery;
    const details = { deliveryId, tenantId, traceId, attempt, status: settlement.status };
    deps.log.warn(details, "the lease had ended: another attempt decides");
  }
  if (delivery.sensitive && settlement.status !== "waiting") {
    await deps.eraseVariables(delivery.eventId);
  }
  return moved;
}

export async function noteEnd(
  item: Pick<DeliveryToSend, "id" | "tenantId">,
  ended: Extract<ClaimResult, { was: unknown }>,
  deps: SendDeliveryDeps,
): Promise<void> {
  const { id: deliveryId, tenantId } = item;
  const { becomes: status, reason, eventId, traceId } = ended;
  countOutcome(deps.channel, null, status);
  deps.log.info({ deliveryId, tenantId, eventId, traceId, status, reason }, "delivery ended");
  if (ended.sensitive) await deps.eraseVariables(eventId);
}

/** Whether and when a tenant's deliveries may be sent now, and with which provider. */
export type Permit =
  | {
      kind: "send";
      provider: ActiveProvider;
      providers: readonly ActiveProvider[];
      probe: boolean;
      /** When each call may begin, in ms of the clock. */
      startsAt: number[];
    }
  /** The tenant has no active provider, or no other one. */
  | { kind: "none" }
  | { kind: "wait"; reason: string | null; delayMs: number; spacingMs: number };

type SendPermit = Extract<Permit, { kind: "send" }>;

export interface Permits {
  /** Asks for up to `wanted` calls of a provider of `only` that is not in `except`. `send` permits at least one. */
  ask(
    tenantId: string,
    wanted: number,
    among?: { except?: ReadonlySet<string>; only?: Only | undefined },
  ): Promise<Permit>;
  /** Splits deliveries: `ids` may be sent by the same providers `only` as the first one, `others` may not. */
  forOneProvider(tenantId: string, ids: string[]): Promise<DeliveriesForProvider>;
  /** Returns how many calls at a time the tenant's current provider can make. */
  maxCalls(tenantId: string): Promise<number>;
}

/** A provider, by its id or its kind. */
export interface Only {
  /** The provider that the delivery's broadcast names. */
  id?: string | undefined;
  /** The kind that the delivery's address names. */
  kind?: string | undefined;
}

export interface DeliveriesForProvider {
  only: Only | undefined;
  ids: string[];
  others: string[];
}

/**
 * How far ahead calls are reserved, in ms, but at least two calls, because one may be a broadcast's
 * (functions/send-broadcasts.sql). Reserved calls hold a slot and a lease until they begin.
 */
const HORIZON_MS = 1_000;
/** The factor by which calls are spaced wider than the rate requires, because they do not begin exactly on time. */
const SLACK = 1.05;
/** The part of a wait for a circuit over which the next attempts are spread. */
const SPREAD = 0.2;

/** Creates the permits. They choose the provider and, if it has a `maxPerSecond`, reserve start times for its calls. */
export function createPermits(
  pool: pg.Pool,
  channel: ProviderChannel,
  providers: ActiveProviders,
  circuits: Circuits,
  clock: Clock,
): Permits {
  return {
    async ask(tenantId, wanted, { except, only } = {}) {
      const all = await providers.of(tenantId);
      const mine = only === undefined ? all : providersOf(only, all);
      const own = except === undefined ? mine : mine.filter(({ id }) => !except.has(id));
      if (own.length === 0) return { kind: "none" };
      const choice = await circuits.choose(own);
      if (choice.kind === "wait") {
        const { reason, delayMs } = choice;
        return { kind: "wait", reason, delayMs, spacingMs: (delayMs * SPREAD) / wanted };
      }
      const { provider, probe } = choice;
      const count = probe ? 1 : wanted;
      const sending = { kind: "send", provider, providers: own, probe } as const;
      if (provider.maxPerSecond === null) {
        return { ...sending, startsAt: new Array<number>(count).fill(0) };
      }
      const spacingMs = (1000 / provider.maxPerSecond) * SLACK;
      const horizonMs = Math.max(HORIZON_MS, 2 * spacingMs);
      const reserved = await reserveSends(pool, provider.id, count, spacingMs, horizonMs);
      if (reserved.granted === 0) {
        if (probe) await circuits.giveBack(provider);
        return { kind: "wait", reason: null, delayMs: reserved.firstInMs, spacingMs };
      }
      const first = clock.nowMs() + reserved.firstInMs;
      const startsAt = Array.from({ length: reserved.granted }, (_, i) => first + i * spacingMs);
      return { ...sending, startsAt };
    },
    async forOneProvider(tenantId, ids) {
      if (!namesKind(channel) && !(await providers.hasNamed(tenantId))) {
        return { only: undefined, ids, others: [] };
      }
      const named = await namedProviders(pool, channel, ids);
      const only = named.get(ids[0]!);
      const { mine = [], rest = [] } = Object.groupBy(ids, (id) => {
        const one = named.get(id);
        return one?.id === only?.id && one?.kind === only?.kind ? "mine" : "rest";
      });
      return { only, ids: mine, others: rest };
    },
    async maxCalls(tenantId) {
      const own = await providers.of(tenantId);
      const next = own.find(({ id }) => !circuits.isOpen(id)) ?? own[0];
      return next?.maxCalls ?? Number.POSITIVE_INFINITY;
    },
  };
}

function providersOf(
  { id, kind }: Only,
  all: readonly ActiveProvider[],
): readonly ActiveProvider[] {
  // A broadcast that names a provider reaches only addresses of its kind.
  if (id !== undefined) {
    return all.filter((one) => one.id === id && (kind === undefined || one.kind === kind));
  }
  return providersForKind(all, kind ?? "");
}

/** Returns for deliveries the provider that their broadcast names, or the kind that their address names. */
async function namedProviders(
  pool: pg.Pool,
  channel: ProviderChannel,
  ids: readonly string[],
): Promise<Map<string, Only | undefined>> {
  const { rows } = await pool.query<{ id: string; provider_id: string | null; recipient: string }>({
    name: "named_providers",
    text: `select d.id, b.provider_id, coalesce(d.recipient, '') as recipient from unnest($1::uuid[]) i (id)
           cross join lateral (select d.id, d.broadcast_id, d.recipient from deliveries d where d.id = i.id limit 1) d
           left join lateral (
             select b.provider_id from broadcasts b
             where b.id = d.broadcast_id and b.provider_id is not null and b.provider_channel = $2 limit 1
           ) b on true`,
    values: [ids, channel],
  });
  const onlyOf = (provider: string | null, recipient: string): Only | undefined => {
    if (provider === null && !namesKind(channel)) return undefined;
    const kind = namesKind(channel) ? (chatKindOf(recipient) ?? "") : undefined;
    return { id: provider ?? undefined, kind };
  };
  return new Map(rows.map((row) => [row.id, onlyOf(row.provider_id, row.recipient)]));
}
