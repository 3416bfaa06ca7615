import { randomUUID } from "node:crypto";
import { ADDRESSES } from "@belfry/contracts/addresses";
import { sentRow } from "@belfry/contracts/channels";
import { reasonWords } from "@belfry/contracts/reasons";
import type { SendOutcome } from "@belfry/contracts/sending";
import type { Database } from "@belfry/database/connection";
import { storeOutboxMessage } from "@belfry/database/outbox";
import type { SecretKeys } from "@belfry/database/secrets";
import { invalid, NotFound, requireProviderChannel } from "../input-error.ts";
import { providerKinds, storedSettings } from "../providers/provider-settings.ts";
import { type Provider, readProviders } from "../providers/providers.ts";
import { allowTest } from "./allow-test.ts";
import type { Preview } from "./preview-template.ts";

/** Long enough for a slow vendor, short enough for a person who waits. */
const TIMEOUT_MS = 15_000;

export interface SendTestOptions {
  keys: SecretKeys;
  allowPrivateAddresses: boolean;
}

export type Sendable = Extract<Preview, { kind: "email" | "text" }>;

/** Sends what a template renders to one person, through the provider that would send it. Throws as `sendThrough`. */
export async function sendRenderedTest(
  db: Database,
  tenantId: string,
  rendered: Preview,
  to: string,
  options: SendTestOptions,
): Promise<{ provider: Provider; outcome: SendOutcome }> {
  requireProviderChannel(rendered.channel);
  if (rendered.kind === "notification") throw new Error("no provider sends notifications");
  const all = await readProviders(db, tenantId);
  const provider = all.find((one) => one.channel === rendered.channel && one.active);
  if (provider === undefined) throw invalid("to", "cannot be reached: no active provider");
  return { provider, outcome: await sendThrough(db, provider, rendered, to, options) };
}

/**
 * Sends a message through one provider, active or not. It is no delivery: nothing of it is in the timeline. It keeps
 * to what holds for the tenant's deliveries (`allowTest`). Throws `InvalidInput`, `NotFound`.
 */
export async function sendThrough(
  db: Database,
  provider: Provider,
  message: Sendable,
  to: string,
  options: SendTestOptions,
): Promise<SendOutcome> {
  const { channel } = provider;
  const { form, read } = ADDRESSES[sentRow(channel).address];
  const recipient = read(to.trim());
  if (recipient === undefined) throw invalid("to", `must be ${form}`);
  const kind = (await providerKinds(channel)).find((row) => row.kind === provider.kind);
  if (kind === undefined) throw new NotFound("kind", `no provider of kind ${provider.kind}`);
  await allowTest(db, { tenantId: provider.tenantId, channel, recipient });
  const settings = await storedSettings(db, provider, options.keys);
  if (settings === undefined) throw new NotFound("id", "the provider is gone");
  const client = kind.create(settings, {
    timeoutMs: TIMEOUT_MS,
    messageAnswerMs: TIMEOUT_MS,
    allowPrivateAddresses: options.allowPrivateAddresses,
    storeInOutbox: (entry) => storeOutboxMessage(db, { ...entry, channel }),
  });
  const ids = { deliveryId: randomUUID(), tenantId: provider.tenantId, eventId: randomUUID() };
  try {
    // The kind is of the message's channel.
    const outcome = await client.send({ ...ids, ...message, to: recipient } as never);
    return { ...outcome, reason: reasonWords(outcome.reason) };
  } finally {
    await client.close();
  }
}
