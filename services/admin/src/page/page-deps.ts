import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import type { Logger } from "pino";
import type { ShownOnce } from "./answer.ts";
import type { Route } from "./router.ts";

/** Dependencies of the functions that register pages. */
export interface PageDeps {
  route: Route;
  db: Database;
  keys: SecretKeys;
  config: {
    /** Public address of the Admin UI, without a / at the end. */
    baseUrl: string;
    /** Public address of ingest-api, for tenants. */
    apiUrl: string;
    /** Public address of realtime-gateway, for browsers. */
    wsUrl: string;
  };
  once: ShownOnce;
  signToken(claims: { sub: string; tenant: string; concealed: true }): Promise<string>;
  /** The clock for two-factor codes and unfinished sign-ins, in ms. */
  nowMs(): number;
  log: Logger;
}
