import type { ProviderChannel } from "@belfry/contracts/channels";
import type { EmailMessage, SendOutcome, SmsMessage } from "@belfry/contracts/sending";
import { providerSettingsOwner } from "@belfry/database/secret-owners";
import { decryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { providerKind } from "@belfry/providers/kinds";
import type { Provider, ProviderDeps, ProviderKind } from "@belfry/providers/provider";
import type { Logger } from "@belfry/service/logger";
import { LRUCache } from "lru-cache";
import type pg from "pg";

export type OutgoingMessage = EmailMessage | SmsMessage;

/** A tenant's account at a vendor, ready to send. */
export interface Account {
  id: string;
  kind: string;
  /** Over all replicas; null: as fast as it goes. */
  maxPerSecond: number | null;
  /** Calls at a time, in this process; more would wait for a connection. */
  maxCalls: number;
  send(message: OutgoingMessage): Promise<SendOutcome>;
}

export interface Accounts {
  /** The tenant's active providers of this channel, the preferred one first. */
  of(tenantId: string): Promise<readonly Account[]>;
  /** The configuration changed: every tenant's providers are read again before their next use. */
  forget(): void;
  /** Lets calls in hand finish. */
  close(): Promise<void>;
}

export interface AccountsOptions {
  pool: pg.Pool;
  channel: ProviderChannel;
  keys: SecretKeys;
  deps: ProviderDeps;
  log: Logger;
}

interface Row {
  id: string;
  kind: string;
  settings: string;
  max_per_second: number | null;
}

interface Opened {
  /** The ciphertext differs after every change, even to the same settings. */
  settings: string;
  account: Account;
  close(): Promise<void>;
}

const MAX_TENANTS = 10_000;
/** Each holds its own connections. */
const MAX_OPEN = 2_000;

export function createAccounts(options: AccountsOptions): Accounts {
  const { pool, channel, log } = options;
  const closing = new Set<Promise<void>>();
  const open = new LRUCache<string, Opened>({
    max: MAX_OPEN,
    dispose: (opened) => {
      const closed = opened
        .close()
        .catch((err) => log.warn({ err }, "a provider did not close"))
        .finally(() => closing.delete(closed));
      closing.add(closed);
    },
  });
  // Promises, so that a tenant's first messages read its providers once.
  const tenants = new LRUCache<string, Promise<readonly Account[]>>({ max: MAX_TENANTS });

  const load = async (tenantId: string): Promise<readonly Account[]> => {
    const { rows } = await pool.query<Row>({
      name: "active_providers",
      text: `select id, kind, settings, max_per_second from providers
        where tenant_id = $1 and channel = $2 and active order by position, id`,
      values: [tenantId, channel],
    });
    return Promise.all(rows.map((row) => openAccount(tenantId, row)));
  };

  const openAccount = async (tenantId: string, row: Row): Promise<Account> => {
    const existing = open.get(row.id);
    if (existing?.settings === row.settings) {
      existing.account.maxPerSecond = row.max_per_second;
      return existing.account;
    }
    const provider = await createProvider(tenantId, row, options);
    const account: Account = {
      id: row.id,
      kind: row.kind,
      maxPerSecond: row.max_per_second,
      maxCalls: provider.maxCalls ?? Number.POSITIVE_INFINITY,
      send: (message) => provider.send(message),
    };
    open.set(row.id, { settings: row.settings, account, close: () => provider.close() });
    return account;
  };

  return {
    of(tenantId) {
      const known = tenants.get(tenantId);
      if (known !== undefined) return known;
      const loading = load(tenantId);
      tenants.set(tenantId, loading);
      loading.catch(() => {
        if (tenants.peek(tenantId) === loading) tenants.delete(tenantId);
      });
      return loading;
    },
    forget: () => tenants.clear(),
    async close() {
      tenants.clear();
      open.clear();
      await Promise.all(closing);
    },
  };
}

/** What cannot be opened still answers, so that the reason stands in the timeline. */
async function createProvider(
  tenantId: string,
  row: Row,
  options: AccountsOptions,
): Promise<Provider<OutgoingMessage>> {
  const { channel, keys, deps, log } = options;
  const kind = providerKind(channel, row.kind) as ProviderKind<OutgoingMessage> | undefined;
  if (kind === undefined) return refusing(`no provider of the kind ${row.kind}`);
  try {
    const owner = providerSettingsOwner(tenantId, row.id);
    const settings = JSON.parse(await decryptSecret(keys, owner, row.settings));
    return kind.create(settings, deps);
  } catch (err) {
    log.error({ err, tenantId, providerId: row.id }, "a provider's settings cannot be read");
    return refusing("the provider's settings cannot be read");
  }
}

function refusing(reason: string): Provider<OutgoingMessage> {
  const refused: SendOutcome = {
    class: "credentials",
    reason,
    messageId: null,
    vendorStatus: null,
    vendorAnswer: null,
    retryAfterSeconds: null,
  };
  return { send: async () => refused, close: async () => {} };
}
