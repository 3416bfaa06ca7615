import type { SendOutcome } from "@belfry/contracts/sending";
import type { Static, TObject } from "@sinclair/typebox";
import type { Resolve } from "./address-guard.ts";
import { outcome } from "./outcome.ts";
import { checkSettings } from "./settings.ts";

/** What the `sandbox` provider keeps instead of sending. */
export interface OutboxEntry {
  deliveryId: string;
  tenantId: string;
  eventId: string;
  channel: "EMAIL" | "SMS";
  to: string;
  subject: string | null;
  html: string | null;
  text: string;
  segments: number | null;
}

export interface ProviderDeps {
  /** From the call of `send` to the last byte of the answer; shorter than the ack wait. */
  timeoutMs: number;
  /** Lifts the address guard (and allows plain http): local stack and tests only. */
  allowPrivateAddresses: boolean;
  /** Keeps what the sandbox was given; resolves to the message's id. */
  storeInOutbox(entry: OutboxEntry): Promise<string>;
  /** Name resolution, replaced by tests; the system's by default. */
  resolve?: Resolve;
  /** Epoch milliseconds, replaced by tests. */
  now?: () => number;
}

/** One tenant's account at a vendor: one client, its connections and its credential. */
export interface Provider<Message> {
  /** Never rejects for the vendor's, the network's or the settings' trouble: it is in the outcome. */
  send(message: Message): Promise<SendOutcome>;
  /** Lets calls in hand finish, then closes the connections. */
  close(): Promise<void>;
}

export interface SettingsContext {
  allowPrivateAddresses: boolean;
}

/** A row of the table in `kinds.ts`. */
export interface ProviderKind<Message> {
  kind: string;
  channel: "EMAIL" | "SMS";
  title: string;
  /** Draws the form and checks the settings; a secret property has the option `secret: true`. */
  settings: TObject;
  /** What a schema cannot say; each fault begins with its field's name. Runs on settings that fit the schema. */
  faults(settings: Record<string, unknown>, context: SettingsContext): string[];
  /** Settings that do not fit give a provider whose every outcome is `credentials`. */
  create(settings: Record<string, unknown>, deps: ProviderDeps): Provider<Message>;
}

export interface ProviderDefinition<Message, Settings extends TObject> {
  kind: string;
  channel: "EMAIL" | "SMS";
  title: string;
  settings: Settings;
  faults?(settings: Static<Settings>, context: SettingsContext): string[];
  create(settings: Static<Settings>, deps: ProviderDeps): Provider<Message>;
}

/** Makes a row for `kinds.ts`: types the settings and checks them before `create` sees them. */
export function defineProvider<Message, Settings extends TObject>(
  definition: ProviderDefinition<Message, Settings>,
): ProviderKind<Message> {
  const kind: ProviderKind<Message> = {
    kind: definition.kind,
    channel: definition.channel,
    title: definition.title,
    settings: definition.settings,
    faults: (settings, context) => definition.faults?.(settings as Static<Settings>, context) ?? [],
    create(settings, deps) {
      const faults = checkSettings(kind, settings, deps);
      if (faults.length === 0) return definition.create(settings as Static<Settings>, deps);
      const refused = outcome(
        "credentials",
        `the provider's settings are wrong: ${faults.join("; ")}`,
      );
      return { send: async () => refused, close: async () => {} };
    },
  };
  return kind;
}
