import type { ProviderChannel } from "@belfry/contracts/channels";
import { storedReason } from "@belfry/contracts/reasons";
import type {
  ChatMessage,
  DeviceMessage,
  EmailMessage,
  SendOutcome,
  SmsMessage,
} from "@belfry/contracts/sending";
import { decryptSecret, providerSettingsOwner, type SecretKeys } from "@belfry/database/secrets";
import { providerKind } from "@belfry/providers/kinds";
import type {
  AttachmentForm,
  Provider,
  ProviderDeps,
  ProviderKind,
} from "@belfry/providers/provider";
import { outcome } from "@belfry/providers/send-outcome";
import type { Logger } from "@belfry/service/logger";
import { createVersionedCache, readEach } from "@belfry/service/versioned-cache";
import { LRUCache } from "lru-cache";
import type pg from "pg";

export type OutgoingMessage = EmailMessage | SmsMessage | ChatMessage | DeviceMessage;

/** A tenant's provider, ready to send. */
export interface ActiveProvider {
  id: string;
  kind: string;
  /** The maximum rate of calls over all replicas; null if there is no maximum. */
  maxPerSecond: number | null;
  /** Schemes of links that the tenant allows in addition to those that every tenant has. */
  linkSchemes: readonly string[];
  /** The form in which the vendor accepts a mail's files; undefined if it accepts none. */
  attachments: AttachmentForm | undefined;
  /** The maximum number of calls at a time in this process, as far as is known. More would wait for a connection. */
  readonly maxCalls: number;
  send(message: OutgoingMessage): Promise<SendOutcome>;
}

export interface ActiveProviders {
  /** Returns the tenant's active providers of this channel, the preferred one first. */
  of(tenantId: string): Promise<readonly ActiveProvider[]>;
  /** Whether an unfinished broadcast of the tenant names a provider. */
  hasNamed(tenantId: string): Promise<boolean>;
  /** Called when the configuration has changed. Every tenant's providers are then read again before their next use. */
  forget(): void;
  /** Closes all providers after their running calls. */
  close(): Promise<void>;
}

export interface ActiveProvidersOptions {
  pool: pg.Pool;
  channel: ProviderChannel;
  keys: SecretKeys;
  deps: ProviderDeps;
  /** Maximum number of connected providers; beyond it, the least recently used one is closed. Default 2,000. */
  maxConnected?: number;
  log: Logger;
}

interface Row {
  id: string;
  kind: string;
  settings: string;
  max_per_second: number | null;
  link_schemes: string[];
  has_named: boolean;
}

interface ProvidersOfTenant {
  active: readonly ActiveProvider[];
  hasNamed: boolean;
}

interface Connected {
  /** The encrypted settings. The ciphertext differs after every change, even to the same settings. */
  settings: string;
  /** Never rejects. */
  provider: Promise<Provider<OutgoingMessage>>;
  /** The resolved `provider`; absent until then. */
  made?: Provider<OutgoingMessage>;
}

const MAX_TENANTS = 10_000;
const MAX_CONNECTED = 2_000;

/**
 * Creates the cache of providers. Configured and connected providers are separate: an ActiveProvider has no connection,
 * but finds or opens one at each call. So callers may keep an ActiveProvider when its connection is closed.
 */
export function createActiveProviders(options: ActiveProvidersOptions): ActiveProviders {
  const { pool, channel, log } = options;
  const closing = new Set<Promise<void>>();
  const connected = new LRUCache<string, Connected>({
    max: options.maxConnected ?? MAX_CONNECTED,
    // `close` waits for the provider's running calls. No new call begins on it.
    dispose: ({ provider }) => {
      const closed = provider
        .then((one) => one.close())
        .catch((err) => log.warn({ err }, "a provider did not close"))
        .finally(() => closing.delete(closed));
      closing.add(closed);
    },
  });
  const load = async (tenantId: string): Promise<ProvidersOfTenant> => {
    const { rows } = await pool.query<Row>({
      name: "active_providers",
      text: `select p.id, p.kind, p.settings, p.max_per_second, t.link_schemes, exists (
          select from broadcasts b
          where b.tenant_id = t.id and b.provider_id is not null and b.ended_at is null) as has_named
        from providers p join tenants t on t.id = p.tenant_id
        where p.tenant_id = $1 and p.channel = $2 and p.active order by p.position, p.id`,
      values: [tenantId, channel],
    });
    const active = rows.map<ActiveProvider>((row) => ({
      id: row.id,
      kind: row.kind,
      maxPerSecond: row.max_per_second,
      linkSchemes: row.link_schemes,
      attachments: providerKind(channel, row.kind)?.attachments,
      get maxCalls() {
        const known = connected.peek(row.id)?.made?.maxCalls;
        return known ?? providerKind(channel, row.kind)?.maxCalls ?? Number.POSITIVE_INFINITY;
      },
      send: async (message) => (await providerOf(tenantId, row)).send(message),
    }));
    return { active, hasNamed: rows[0]?.has_named === true };
  };

  const providerOf = (tenantId: string, row: Row): Promise<Provider<OutgoingMessage>> => {
    const known = connected.get(row.id);
    if (known?.settings === row.settings) return known.provider;
    const entry: Connected = {
      settings: row.settings,
      provider: createProvider(tenantId, row, options).then((made) => {
        entry.made = made;
        return made;
      }),
    };
    connected.set(row.id, entry);
    return entry.provider;
  };

  const tenants = createVersionedCache<ProvidersOfTenant>({
    max: MAX_TENANTS,
    read: (tenantIds) => readEach(tenantIds, load),
  });

  return {
    of: async (tenantId) => (await tenants.get(tenantId))?.active ?? [],
    hasNamed: async (tenantId) => (await tenants.get(tenantId))?.hasNamed === true,
    forget: () => tenants.clear(),
    async close() {
      connected.clear();
      await Promise.all(closing);
    },
  };
}

/** Creates a provider. If this fails, returns one whose calls fail with the reason, so that the timeline shows it. */
async function createProvider(
  tenantId: string,
  row: Row,
  options: ActiveProvidersOptions,
): Promise<Provider<OutgoingMessage>> {
  const { channel, keys, deps, log } = options;
  const kind = providerKind(channel, row.kind) as ProviderKind<OutgoingMessage> | undefined;
  if (kind === undefined) return refusing(storedReason("provider-unknown", { kind: row.kind }));
  try {
    const owner = providerSettingsOwner(tenantId, row.id);
    const settings = JSON.parse(await decryptSecret(keys, owner, row.settings));
    return kind.create(settings, deps);
  } catch (err) {
    log.error({ err, tenantId, providerId: row.id }, "a provider's settings cannot be read");
    return refusing(storedReason("settings-unreadable"));
  }
}

function refusing(reason: string): Provider<OutgoingMessage> {
  return { send: async () => outcome("credentials", reason), close: async () => {} };
}
