/** How long a run takes its time, and what the services are started with. */
export interface FailureSettings {
  /** Events a second, over both tenants. */
  perSecond: number;
  /** How long a server stays away when it is stopped rather than killed. */
  awayMs: number;
  /** How long any other fault lasts. */
  faultMs: number;
  /** How long a server stands still with its connections open. */
  frozenMs: number;
  /** From the kill of a process to its restart. */
  restartMs: number;
  /** A sender is frozen for this long: past its ack wait. */
  freezeMs: number;
  /** A vendor that hangs does so for this long: past the provider's timeout. */
  hangMs: number;
  /** Load before and after each fault. */
  beforeMs: number;
  afterMs: number;
  /** When what has not arrived by then, after the load ended, is lost. */
  drainMs: number;
  /** When a request that has no answer by then was met with silence. */
  silenceMs: number;
  /** Variables of the services beside the standard ones. */
  env: Record<string, string>;
}

/** The services as they are delivered: only the signs of life are closer together. */
export const LONG: FailureSettings = {
  perSecond: 24,
  awayMs: 30_000,
  faultMs: 6_000,
  frozenMs: 12_000,
  restartMs: 1_000,
  freezeMs: 65_000,
  hangMs: 12_000,
  beforeMs: 2_000,
  afterMs: 3_000,
  drainMs: 240_000,
  // The specification's 5 s, and what a busy machine adds.
  silenceMs: 5_500,
  env: {},
};

/** The same faults against short waits, for every run of the tests. */
export const SHORT: FailureSettings = {
  perSecond: 12,
  awayMs: 4_000,
  faultMs: 2_000,
  frozenMs: 4_000,
  restartMs: 200,
  freezeMs: 8_000,
  hangMs: 2_500,
  beforeMs: 1_000,
  afterMs: 1_000,
  // Deadlines of a test: later than any machine is slow.
  drainMs: 180_000,
  silenceMs: 60_000,
  env: {
    PROVIDER_TIMEOUT_MS: "1000",
    LEASE_MS: "6000",
    DELIVERY_ACK_WAIT_MS: "7000",
    EVENT_ACK_WAIT_MS: "3000",
    RELEASE_AGAIN_AFTER_MS: "8000",
    REPUBLISH_AFTER_MS: "5000",
    REPUBLISH_EVERY_MS: "1000",
    POSITION_CHECK_MS: "1000",
    SHUTDOWN_SPREAD_MS: "200",
  },
};
