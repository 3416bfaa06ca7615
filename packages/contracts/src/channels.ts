/** The three ways an event can reach its recipient (specification, 2.1). */
export const CHANNELS = ["EMAIL", "SMS", "PUSH"] as const;
export type Channel = (typeof CHANNELS)[number];

/** The channels that leave through an outside provider; PUSH is ours. */
export const PROVIDER_CHANNELS = ["EMAIL", "SMS"] as const;
export type ProviderChannel = (typeof PROVIDER_CHANNELS)[number];

export function isChannel(value: unknown): value is Channel {
  return value === "EMAIL" || value === "SMS" || value === "PUSH";
}
