import type { TestNotification } from "@belfry/administration/act";
import type { Database, Pool } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import type { KeyUses, TenantDirectory } from "@belfry/http-api/tenant-directory";
import type { Logger } from "pino";
import type { CodePendings } from "./door/code-pending.ts";
import type { Cookies } from "./door/cookies.ts";
import type { OidcDoor } from "./door/oidc-door.ts";
import type { OidcSettings } from "./door/oidc-settings.ts";
import type { ShownOnce } from "./door/shown-once.ts";
import type { Assets } from "./drawing/assets.ts";
import type { SystemFacts } from "./platform/system-facts.ts";
import type { Route } from "./router.ts";

export interface AppDeps {
  db: Database;
  pool: Pool;
  keys: SecretKeys;
  config: {
    baseUrl: string;
    apiUrl: string;
    wsUrl: string;
    /** Of providers. */
    allowPrivateAddresses: boolean;
    allowPrivateWebhooks: boolean;
    trustProxy: string;
    /** Of the management API. */
    limits: { unknownKeysPerMinute: number; otherPerMinute: number };
    /** undefined: people sign in by password alone. */
    oidc?: OidcSettings | undefined;
  };
  /** Of the management API, as `keyUses`. */
  directory: TenantDirectory;
  keyUses: Pick<KeyUses, "note">;
  signToken(claims: { sub: string; tenant: string; concealed: true }): Promise<string>;
  /** Hands the id of an accepted event to the dispatcher. */
  publishEvent(id: string, traceId: string): Promise<void>;
  /** To the user's open browsers; what does not arrive they read from the history. */
  publishNotification(notification: TestNotification): Promise<void>;
  /** Tells the user's open browsers that the preferences are others; best effort. */
  announcePreferences(owner: { tenantId: string; userId: string }): void;
  /** Closes the open connections of a user, or of all of a tenant, for good. Rejects while NATS is not connected. */
  disconnect(owner: { tenantId: string; userId?: string }): Promise<void>;
  systemFacts(): Promise<SystemFacts>;
  /** Of codes, and of what a sign-in keeps meanwhile. */
  nowMs(): number;
  log: Logger;
}

/** What every page's file is given. */
export type PageDeps = AppDeps & {
  route: Route;
  assets: Assets;
  cookies: Cookies;
  once: ShownOnce;
  oidc: OidcDoor | undefined;
  codePendings: CodePendings;
};
