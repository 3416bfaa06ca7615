import type { SystemFacts } from "@belfry/admin/platform/system-pages";

const MINUTE_MS = 60_000;
const SERVICES = [
  ["admin", 1, 4],
  ["dispatcher", 1, 6],
  ["email-sender", 2, 8],
  ["ingest-api", 2, 12],
  ["realtime-gateway", 2, 4],
  ["sms-sender", 1, 4],
] as const;

/** Facts for the system page: everything works except one provider account. */
export function sampleFacts(now = Date.now()): Partial<SystemFacts> {
  const ago = (minutes: number) => new Date(now - minutes * MINUTE_MS);
  const consumer = (name: string, waiting = 0, inHand = 0) => ({
    ...{ name, waiting, inHand, redelivered: 0 },
  });
  const stream = (name: string, messages: number, consumers: ReturnType<typeof consumer>[]) => ({
    ...{ name, messages, consumers, bytes: messages * 900, maxBytes: 1_000_000_000 },
  });
  return {
    services: SERVICES.map(([name, replicas, connections]) => ({
      ...{ name, version: "0.1.0", connections: connections * replicas, since: ago(190) },
    })),
    streams: [
      stream("belfry-deliveries", 1220, [
        consumer("email-sender", 1200, 20),
        consumer("sms-sender"),
      ]),
      stream("belfry-events", 3, [
        consumer("dispatcher-bulk"),
        consumer("dispatcher-express", 1, 2),
      ]),
    ],
    oldestDue: [{ channel: "EMAIL", dueAt: new Date(now - 1400) }],
    undispatched: { count: 3, since: new Date(now - 200) },
    circuits: [
      {
        ...{ tenantId: "contoso", tenantName: "Contoso Travel", providerId: "none" },
        ...{ kind: "vonage", channel: "SMS", class: "credentials" },
        reason: "Vonage refused the key",
        openUntil: ago(-2),
      },
    ],
    reconciled: { events: 1, deliveries: 4 },
  };
}
