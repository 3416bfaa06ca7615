import type { DeadLetterGlance } from "@belfry/administration/dead-letters/dead-letters";
import type { Reconciled } from "@belfry/database/reconciliations";
import type { ConnectedService, OpenAccount } from "./platform-state.ts";

/** What the system page shows. */
export interface SystemFacts {
  services: ConnectedService[];
  /** undefined: NATS is not connected. */
  streams: StreamFacts[] | undefined;
  oldestDue: { channel: string; dueAt: Date }[];
  undispatched: { count: number; since: Date | null };
  circuits: OpenAccount[];
  /** In the last 24 hours: lost or stalled, found and sent again. */
  reconciled: Record<Reconciled, number>;
  deadLetters: DeadLetterGlance;
}

export interface StreamFacts {
  name: string;
  messages: number;
  bytes: number;
  maxBytes: number;
  consumers: { name: string; waiting: number; inHand: number; redelivered: number }[];
}
