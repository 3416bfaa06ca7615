import type { Channel } from "@belfry/contracts/channels";
import { isGlobalEventType, PLATFORM } from "@belfry/contracts/identifiers";
import type { Pool } from "@belfry/database/connection";
import {
  type RoutingTemplate,
  type RoutingTenant,
  readRoutingTemplates,
  readRoutingTenants,
} from "./dispatch-configuration.ts";
import type { CompiledTemplate } from "@belfry/templates/compiled-template";
import { createRenderer, type Renderer } from "@belfry/templates/render";
import { LRUCache } from "lru-cache";

/** An active template, ready for use. */
export interface ActiveTemplate {
  versionId: string;
  targetChannel: string | null;
  sensitive: boolean;
  expiresAfterSeconds: number | null;
  /** Only with PUSH. */
  render: Renderer | undefined;
}
export type ActiveTemplates = ReadonlyMap<Channel, ActiveTemplate>;

/** What decides on the way of a batch of events, in memory. */
export interface Routing {
  /** Undefined: there is no such tenant any more. */
  tenant(tenantId: string): RoutingTenant | undefined;
  templates(tenantId: string, eventType: string): ActiveTemplates;
}

export interface Configuration {
  /** Reads what is not in memory: one query for the tenants and one for the templates, at most. */
  routingFor(events: readonly { tenantId: string; eventType: string }[]): Promise<Routing>;
  /** Forgets everything: the configuration has changed. */
  clear(): void;
}

const MAX_TENANTS = 10_000;
const MAX_TEMPLATES = 20_000;
const NONE: ActiveTemplates = new Map();

/** Tenants and templates, remembered until `clear`; what does not exist is remembered as well. */
export function createConfiguration(pool: Pool): Configuration {
  let tenants = createTable<RoutingTenant>(MAX_TENANTS);
  let templates = createTable<ActiveTemplates>(MAX_TEMPLATES);

  const readTemplates = async (keys: string[]) => {
    const pairs = keys.map((key) => {
      const [ownerId = "", eventType = ""] = key.split("\0");
      return { ownerId, eventType };
    });
    const found = new Map<string, Map<Channel, ActiveTemplate>>();
    for (const template of await readRoutingTemplates(pool, pairs)) {
      const key = `${template.ownerId}\0${template.eventType}`;
      const ofType = found.get(key) ?? new Map<Channel, ActiveTemplate>();
      found.set(key, ofType.set(template.channel, toActive(template)));
    }
    return found;
  };
  const readTenants = async (ids: string[]) =>
    new Map((await readRoutingTenants(pool, ids)).map((tenant) => [tenant.id, tenant]));

  return {
    async routingFor(events) {
      const tenantIds = new Set(events.map((event) => event.tenantId));
      const keys = new Set(events.map((event) => templatesKey(event.tenantId, event.eventType)));
      const [tenantsHere, templatesHere] = await Promise.all([
        tenants.get([...tenantIds], readTenants),
        templates.get([...keys], readTemplates),
      ]);
      return {
        tenant: (tenantId) => tenantsHere.get(tenantId),
        templates: (tenantId, eventType) =>
          templatesHere.get(templatesKey(tenantId, eventType)) ?? NONE,
      };
    },
    clear() {
      // New tables: a read under way fills the old ones, which nobody asks any more.
      tenants = createTable(MAX_TENANTS);
      templates = createTable(MAX_TEMPLATES);
    },
  };
}

/** The built-in event types resolve against the platform's templates alone, all others against the tenant's. */
function templatesKey(tenantId: string, eventType: string): string {
  return `${isGlobalEventType(eventType) ? PLATFORM : tenantId}\0${eventType}`;
}

function toActive(template: RoutingTemplate): ActiveTemplate {
  const { versionId, targetChannel, sensitive, expiresAfterSeconds } = template;
  return {
    versionId,
    targetChannel,
    sensitive,
    expiresAfterSeconds,
    render:
      template.channel === "PUSH"
        ? createRenderer(template.compiled as CompiledTemplate)
        : undefined,
  };
}

type Read<Value> = (keys: string[]) => Promise<Map<string, Value>>;

function createTable<Value>(max: number) {
  const known = new LRUCache<string, { value: Value | undefined }>({ max });
  /** Reads under way: whoever needs the same key waits for the same read. */
  const pending = new Map<string, Promise<Map<string, Value>>>();

  return {
    async get(keys: string[], read: Read<Value>): Promise<Map<string, Value>> {
      const result = new Map<string, Value>();
      const waits = new Map<string, Promise<Map<string, Value>>>();
      const missing: string[] = [];
      for (const key of keys) {
        const hit = known.get(key);
        const under = pending.get(key);
        if (hit !== undefined) {
          if (hit.value !== undefined) result.set(key, hit.value);
        } else if (under !== undefined) waits.set(key, under);
        else missing.push(key);
      }
      if (missing.length > 0) {
        const reading = read(missing)
          .then((found) => {
            for (const key of missing) known.set(key, { value: found.get(key) });
            return found;
          })
          .finally(() => {
            for (const key of missing) pending.delete(key);
          });
        for (const key of missing) {
          pending.set(key, reading);
          waits.set(key, reading);
        }
      }
      // Together: one that fails while another is waited for would be nobody's.
      await Promise.all(waits.values());
      for (const [key, reading] of waits) {
        const value = (await reading).get(key);
        if (value !== undefined) result.set(key, value);
      }
      return result;
    },
  };
}
