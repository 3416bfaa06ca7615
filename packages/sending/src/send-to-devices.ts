import { providersForKind } from "@belfry/contracts/channels";
import { storedReason } from "@belfry/contracts/reasons";
import type { OutcomeClass, SendOutcome } from "@belfry/contracts/sending";
import type { ClaimedDelivery } from "@belfry/database/functions/claim-deliveries";
import type { DeviceResult, DeviceState, TakenDevice } from "@belfry/database/functions/devices";
import type { Settlement } from "@belfry/database/functions/settle-deliveries";
import { decryptSecret, deviceOwner, type SecretKeys } from "@belfry/database/secrets";
import { outcome as outcomeOf } from "@belfry/providers/send-outcome";
import type { ActiveProvider, ActiveProviders } from "./active-providers.ts";
import { failed, lackingOf, later, settlementOf } from "./attempt-delivery.ts";
import { type Lacking, type MessageToDevices, makeMessage } from "./make-message.ts";
import { maxRetries } from "./next-step.ts";
import {
  endAttempt,
  noteEnd,
  type Permit,
  type SendDeliveryDeps,
  settleDelivery,
  startAttempt,
} from "./send-delivery.ts";
import { countAttempt } from "./sending-metrics.ts";

export interface SendToDevicesDeps extends SendDeliveryDeps {
  keys: SecretKeys;
  providers: Pick<ActiveProviders, "of">;
  /** Takes the devices of a claimed delivery. Concurrent calls share one query of Postgres, like those of `settleDevice`. */
  take: (delivery: {
    deliveryId: string;
    tenantId: string;
    userId: string;
  }) => Promise<TakenDevice[]>;
  settleDevice: (result: DeviceResult) => Promise<void>;
}

/** The accounts of a tenant by the kind of device complement each other, so an attempt belongs to all of them. */
const DEVICES = { id: null, kind: "devices" };
/** How long a vendor keeps a message without an expiry: four weeks, the most that FCM allows. */
const MAX_TTL_SECONDS = 28 * 24 * 60 * 60;

/**
 * Claims one delivery, sends it to each device that still waits for it, and settles it. Each kind of device has its own
 * provider, with its own circuit and rate. The caller has acquired a slot, which this function releases. Resolves to how
 * long in ms another sender holds the delivery; 0 if none does.
 */
export async function sendToDevices(
  { id, tenantId }: { id: string; tenantId: string },
  deps: SendToDevicesDeps,
): Promise<number> {
  try {
    const providers = await deps.providers.of(tenantId);
    const startedAt = Date.now();
    // No account sends the whole delivery.
    const provider = providers.length === 0 ? null : DEVICES;
    const claimed = await deps.claim({ id, tenantId, provider });
    if (claimed.becomes === "busy") return claimed.waitMs;
    if (claimed.becomes === "gone") return 0;
    if (claimed.becomes !== "sending") {
      await noteEnd({ id, tenantId }, claimed, deps);
      return 0;
    }
    const { delivery } = claimed;
    using _lease = deps.leases.hold({ id: delivery.id, attempt: delivery.attempt });
    using span = startAttempt(delivery, deps.channel, startedAt);
    const settlement = await attemptDevices(delivery, providers, { ...deps, span });
    await settleDelivery(delivery, settlement, deps);
    if (span !== undefined) endAttempt(span, settlement);
    return 0;
  } finally {
    deps.slots.release(tenantId);
  }
}

async function attemptDevices(
  delivery: ClaimedDelivery,
  providers: readonly ActiveProvider[],
  deps: SendToDevicesDeps,
): Promise<Settlement> {
  const { id: deliveryId, tenantId, userId } = delivery;
  if (userId === null) return failed(delivery, deps.channel, storedReason("event-gone"));
  const renderer = await deps.renderers.of(delivery.templateVersionId);
  if (renderer === undefined) {
    return failed(delivery, deps.channel, storedReason("template-gone"));
  }
  const { channel, links } = deps;
  const linkSchemes = providers[0]?.linkSchemes ?? [];
  const made = makeMessage(delivery, renderer, { channel, linkSchemes, links });
  if (!made.ok) return failed(delivery, channel, made.reason, made);
  const message = made.message as MessageToDevices;

  const startedAt = performance.now();
  const taken = await deps.take({ deliveryId, tenantId, userId });
  const byKind = Map.groupBy(
    taken.filter(({ state }) => state === "sending"),
    ({ kind }) => kind,
  );
  const tries = await Promise.all(
    [...byKind].map(([kind, devices]) => {
      const [provider] = providersForKind(providers, kind);
      return callDevices({ delivery, message, devices, provider }, deps);
    }),
  );
  return settlementOfDevices(delivery, taken, tries.flat(), {
    ...deps,
    lacking: made,
    durationMs: performance.now() - startedAt,
  });
}

/** A device that was tried, or must wait for its provider. */
interface Try {
  device: TakenDevice;
  outcome: SendOutcome;
  state: DeviceResult["state"];
  /** Whether the vendor was called. */
  isCalled: boolean;
}

interface DevicesOfKind {
  delivery: ClaimedDelivery;
  message: MessageToDevices;
  devices: readonly TakenDevice[];
  provider: ActiveProvider | undefined;
}

async function callDevices(
  { delivery, message, devices, provider }: DevicesOfKind,
  deps: SendToDevicesDeps,
): Promise<Try[]> {
  const { tenantId } = delivery;
  const tries = (outcome: SendOutcome, some: readonly TakenDevice[]) =>
    Promise.all(some.map((device) => noteTry(delivery, device, outcome, undefined, deps)));
  const only = provider && { id: provider.id };
  const permit: Permit =
    only === undefined
      ? { kind: "none" }
      : await deps.permits.ask(tenantId, devices.length, { only });
  if (provider === undefined || permit.kind === "none") {
    return await tries(outcomeOf("permanent", storedReason("no-provider")), devices);
  }
  if (permit.kind === "wait") return await tries(waiting(permit.reason, permit.delayMs), devices);
  const { startsAt, probe } = permit;
  const called = devices.slice(0, startsAt.length).map(async (device, at) => {
    const outcome = await callDevice(delivery, message, device, provider, startsAt[at]!, deps);
    if (outcome.notBegun && probe) await deps.circuits.giveBack(provider);
    if (!outcome.notBegun) await deps.circuits.note(provider, outcome, probe);
    return await noteTry(delivery, device, outcome, provider, deps);
  });
  const rest = tries(waiting(null, REST_MS), devices.slice(startsAt.length));
  return (await Promise.all([Promise.all(called), rest])).flat();
}

/** When devices are tried that found no place in the rate of their provider. */
const REST_MS = 1_000;

/** Returns the outcome of a device that waits without a call. */
function waiting(reason: string | null, delayMs: number): SendOutcome {
  return outcomeOf("throttled", reason ?? storedReason("provider-paused", { why: "its rate" }), {
    retryAfterSeconds: delayMs / 1000,
    notBegun: true,
  });
}

async function callDevice(
  { tenantId, id: deliveryId, traceId }: ClaimedDelivery,
  message: MessageToDevices,
  device: TakenDevice,
  provider: ActiveProvider,
  startsAtMs: number,
  { channel, keys, clock, log }: SendToDevicesDeps,
): Promise<SendOutcome> {
  const { id, token, registeredAt, ttlSeconds } = device;
  let target: string;
  try {
    target = await decryptSecret(keys, deviceOwner(tenantId, id!), token!);
  } catch (err) {
    log.error({ err, tenantId, deviceRow: id }, "a device's token cannot be read");
    // The key may be missing for a while, so the device is kept and tried again.
    return outcomeOf("credentials", storedReason("settings-unreadable"), { ofOneMessage: true });
  }
  const waitMs = startsAtMs - clock.nowMs();
  if (waitMs > 0) await new Promise<void>((resolve) => clock.after(waitMs, resolve));
  const startedAt = performance.now();
  let outcome: SendOutcome;
  try {
    outcome = await provider.send({
      ...message,
      device: JSON.parse(target),
      registeredAt: registeredAt!,
      ttlSeconds: Math.min(ttlSeconds ?? MAX_TTL_SECONDS, MAX_TTL_SECONDS),
    });
  } catch (err) {
    log.error({ err, deliveryId, traceId, provider: provider.kind }, "a provider threw");
    outcome = outcomeOf("ambiguous", storedReason("provider-threw"));
  }
  if (!outcome.notBegun) {
    countAttempt(channel, provider.kind, outcome.class, performance.now() - startedAt);
  }
  return outcome;
}

/** Stores the result for one device at once, so that a crash repeats only calls whose result is unknown. */
async function noteTry(
  delivery: ClaimedDelivery,
  device: TakenDevice,
  outcome: SendOutcome,
  provider: ActiveProvider | undefined,
  deps: SendToDevicesDeps,
): Promise<Try> {
  const ends = endOf(outcome, delivery.atMostOnce);
  const isLast =
    ends === "waiting" &&
    COUNTED.has(outcome.class) &&
    delivery.retries >= maxRetries(deps.channel);
  const state = isLast ? "failed" : ends;
  await deps.settleDevice({
    device,
    state,
    reason: state === "accepted" ? null : outcome.reason,
    vendorStatus: outcome.vendorStatus,
    providerId: provider?.id ?? null,
  });
  return { device, outcome, state, isCalled: !outcome.notBegun && provider !== undefined };
}

/** Classes whose tries count as retries of the schedule. */
const COUNTED: ReadonlySet<OutcomeClass> = new Set([
  "credentials",
  "deferred",
  "transient",
  "ambiguous",
]);

function endOf(outcome: SendOutcome, atMostOnce: boolean): DeviceResult["state"] {
  switch (outcome.class) {
    case "accepted":
      return "accepted";
    case "permanent":
      return outcome.gone ? "gone" : "failed";
    case "policy":
      return "failed";
    case "ambiguous":
      return atMostOnce ? "unknown" : "waiting";
    default:
      return "waiting";
  }
}

/** Returns the settlement of a delivery by the states of its devices. */
function settlementOfDevices(
  delivery: ClaimedDelivery,
  taken: readonly TakenDevice[],
  tries: readonly Try[],
  deps: SendToDevicesDeps & { lacking: Lacking; durationMs: number },
): Settlement {
  const { lacking, durationMs } = deps;
  const states: DeviceState[] = [
    ...taken.filter(({ state }) => state !== "sending").map(({ state }) => state),
    ...tries.map(({ state }) => state),
  ];
  const accepted = states.filter((state) => state === "accepted").length;
  if (states.every((state) => state === "skipped")) {
    return skipped(delivery, storedReason("no-device"), lacking);
  }
  const open = tries.filter(({ state }) => state === "waiting");
  if (open.length > 0 && !tries.some(({ isCalled }) => isCalled)) {
    const delaysMs = open.map(({ outcome }) => (outcome.retryAfterSeconds ?? 1) * 1000);
    const rest = later(delivery, open[0]!.outcome.reason);
    return { ...rest, delayMs: Math.min(...delaysMs), ...lackingOf(lacking) };
  }
  const outcome = wholeOutcome(states, tries, open, accepted);
  const attempt = { kind: "called", outcome, durationMs, lacking } as const;
  return settlementOf(delivery, DEVICES, attempt, undefined, deps);
}

/** Combines the outcomes of an attempt's devices into that of the attempt. */
function wholeOutcome(
  states: readonly DeviceState[],
  tries: readonly Try[],
  open: readonly Try[],
  accepted: number,
): SendOutcome {
  const counted = open.find(({ outcome }) => COUNTED.has(outcome.class)) ?? open[0];
  if (counted !== undefined) {
    const { class: outcomeClass, reason: why, retryAfterSeconds } = counted.outcome;
    const args = { accepted: String(accepted), all: String(states.length), why };
    return outcomeOf(outcomeClass, storedReason("devices-waiting", args), { retryAfterSeconds });
  }
  if (accepted > 0) {
    return outcomeOf("accepted", `${accepted} of ${states.length} devices accepted the message`);
  }
  const last = tries.find(({ state }) => state === "unknown") ?? tries[0];
  const why = last?.outcome.reason ?? storedReason("device-gone");
  const outcomeClass = last?.state === "unknown" ? "ambiguous" : "permanent";
  return outcomeOf(outcomeClass, storedReason("no-device-accepted", { why }), {
    vendorStatus: last?.outcome.vendorStatus ?? null,
    vendorAnswer: last?.outcome.vendorAnswer ?? null,
  });
}

function skipped(delivery: ClaimedDelivery, reason: string, lacking: Lacking): Settlement {
  return {
    deliveryId: delivery.id,
    attempt: delivery.attempt,
    status: "skipped",
    reason,
    delayMs: null,
    counted: false,
    ...lackingOf(lacking),
    end: null,
  };
}
