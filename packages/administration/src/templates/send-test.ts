import { randomUUID } from "node:crypto";
import { ADDRESSES } from "@belfry/contracts/addresses";
import { sentRow } from "@belfry/contracts/channels";
import type { SendOutcome } from "@belfry/contracts/sending";
import type { Database } from "@belfry/database/connection";
import { storeOutboxMessage } from "@belfry/database/outbox";
import { invalid, NotFound, requireProviderChannel } from "../input-error.ts";
import { noteProviderTest, storedProviderSettings } from "../providers/provider-rows.ts";
import { providerKinds } from "../providers/provider-settings.ts";
import {
  listProviders,
  type Provider,
  type PutProviderOptions,
  revealSettings,
  showProvider,
} from "../providers/providers.ts";
import { allowTest } from "./allow-test.ts";
import type { Preview } from "./preview-template.ts";

/** Long enough for a slow vendor, short enough for a person who waits. */
const TIMEOUT_MS = 15_000;

type Sendable = Extract<Preview, { kind: "email" | "text" }>;

/**
 * Sends a message of ours through one provider, active or not, and returns the vendor's answer. It is
 * no delivery: nothing of it is in the timeline. Whether it was accepted is noted (`testedAt`): what the
 * Admin UI made is used only after that. It keeps to what holds for the tenant's deliveries
 * (`allowTest`). Throws `InvalidInput`, `NotFound`.
 */
export async function sendProviderTest(
  db: Database,
  address: { id: string; tenantId: string },
  to: string,
  options: PutProviderOptions,
): Promise<{ provider: Provider; outcome: SendOutcome }> {
  const provider = await showProvider(db, address);
  const text = "This is a test from Belfry: the provider works.";
  const html = `<p>${text}</p>`;
  const { channel } = provider;
  const message: Sendable =
    sentRow(channel).content === "email"
      ? { channel, kind: "email", subject: "A test from Belfry", html, text, missing: [] }
      : { channel, kind: "text", text, segments: 1, encoding: "GSM-7", missing: [] };
  // Read before they are used: what is put meanwhile is not what was tested.
  const settings = await storedProviderSettings(db, provider);
  const outcome = await send(db, provider, message, to, options);
  if (settings !== undefined) {
    const accepted = outcome.class === "accepted";
    await noteProviderTest(db, provider, { settings, accepted });
  }
  return { provider, outcome };
}

/** Sends what a template renders to one person, through the provider that would send it. Throws as above. */
export async function sendRenderedTest(
  db: Database,
  tenantId: string,
  rendered: Preview,
  to: string,
  options: PutProviderOptions,
): Promise<{ provider: Provider; outcome: SendOutcome }> {
  requireProviderChannel(rendered.channel);
  if (rendered.kind === "notification") throw new Error("no provider sends notifications");
  const all = await listProviders(db, tenantId);
  const provider = all.find((one) => one.channel === rendered.channel && one.active);
  if (provider === undefined) throw invalid("to", "cannot be reached: no active provider");
  return { provider, outcome: await send(db, provider, rendered, to, options) };
}

async function send(
  db: Database,
  provider: Provider,
  message: Sendable,
  to: string,
  options: PutProviderOptions,
): Promise<SendOutcome> {
  const { channel } = provider;
  const { form, read } = ADDRESSES[sentRow(channel).address];
  const recipient = read(to.trim());
  if (recipient === undefined) throw invalid("to", `must be ${form}`);
  const kind = (await providerKinds(channel)).find((row) => row.kind === provider.kind);
  if (kind === undefined) throw new NotFound("kind", `no provider of kind ${provider.kind}`);
  await allowTest(db, { tenantId: provider.tenantId, channel, recipient });
  const client = kind.create(await revealSettings(db, provider, options.keys), {
    timeoutMs: TIMEOUT_MS,
    messageAnswerMs: TIMEOUT_MS,
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    storeInOutbox: (entry) => storeOutboxMessage(db, { ...entry, channel }),
  });
  const ids = { deliveryId: randomUUID(), tenantId: provider.tenantId, eventId: randomUUID() };
  try {
    // The kind is of the message's channel.
    return await client.send({ ...ids, ...message, to: recipient } as never);
  } finally {
    await client.close();
  }
}
