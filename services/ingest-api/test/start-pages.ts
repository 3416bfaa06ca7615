import { randomBytes } from "node:crypto";
import { LINK_PAGES, type LinkPurpose } from "@belfry/contracts/message-links";
import { type Link, parseLinkKeys, sealLink } from "@belfry/database/link-token";
import { preferencesOfUser } from "@belfry/database/preferences";
import { createAbuseLimits } from "@belfry/http-api/abuse-limits";
import { createHttpServer } from "@belfry/service/http";
import { createLogger } from "@belfry/service/logger";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import { linkRoutes } from "../src/pages/link-routes.ts";

export const NOW = new Date("2026-11-22T12:00:00Z");
export const ANN: Link = {
  tenantId: "acme",
  userId: "ann@example.com",
  category: "offers",
  channel: "EMAIL",
};
const key = () => randomBytes(32).toString("base64");
export const OLD_KEYS = `old:${key()}`;
const LINK_KEYS = parseLinkKeys(`new:${key()},${OLD_KEYS}`);

/** The pages at loopback, of the tenant `acme` with three categories, and of `other` with one. */
export async function startPages(t: Cleanup, options: { linksPerMinute?: number } = {}) {
  const { db, pool } = await connectedDatabase(t);
  for (const [id, name] of [
    ["acme", "Acme & Söhne"],
    ["other", "Other"],
  ] as const) {
    await db.insertInto("tenants").values({ id, name, per_minute: 1 }).execute();
  }
  const category = (tenantId: string, name: string, label: object, more: object = {}) =>
    db
      .insertInto("categories")
      .values({
        tenant_id: tenantId,
        key: name,
        label: JSON.stringify(label),
        description: JSON.stringify({ "": `About ${name}` }),
        ...more,
      })
      .execute();
  const offers = { "": "Offers", de: "Angebote", "zh-Hant": "優惠" };
  await category("acme", "offers", offers, { position: 1 });
  await category("acme", "news", { "": "News" }, { position: 2, default_on: false });
  await category("acme", "security", { "": "Security" }, { position: 3, required: true });
  await category("other", "offers", { "": "Theirs" });
  const app = createHttpServer({
    log: createLogger({ service: "test", level: "silent" }),
    maxBodyBytes: 256 * 1024,
    jsonBody: "raw",
  });
  const { linksPerMinute = 1_000_000 } = options;
  const bounds = {
    unknownKeysPerMinute: 1,
    otherPerMinute: 1,
    receiptsPerMinute: 1,
    linksPerMinute,
    otherAtATime: 8,
  };
  const limits = await createAbuseLimits(app, bounds);
  /** Users whose open pages were notified. */
  const announced: string[] = [];
  linkRoutes(app, {
    linkKeys: LINK_KEYS,
    db,
    limits,
    now: () => NOW,
    announcePreferences: ({ tenantId, userId }) => void announced.push(`${tenantId}/${userId}`),
  });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());

  const linkTo = (purpose: LinkPurpose, link: Partial<Link> = {}, keys = LINK_KEYS) =>
    `${address}${LINK_PAGES[purpose]}/${sealLink(keys, purpose, { ...ANN, ...link })}`;
  const cells = async (owner: { tenantId: string; userId: string } = ANN) =>
    (await preferencesOfUser(db, owner)).map(
      ({ category: name, channel, enabled, source }) =>
        `${name}/${channel} ${enabled ? "on" : "off"} (${source})`,
    );
  return { db, pool, app, address, category, linkTo, cells, announced };
}
