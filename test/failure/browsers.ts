import type { Cleanup } from "@belfry/testing/cleanup";
import { client, subscribed } from "../realtime/clients.ts";
import type { AnyWorld } from "./world.ts";

interface Received {
  key: string;
  id: string;
  /** By performance.now(). */
  at: number;
}

/** One user's page with the unmodified client, which reconnects and recovers by itself. */
export interface Browser {
  tenantId: string;
  user: string;
  received: Received[];
  /** How often a reconnection could not recover the missed messages. */
  unrecovered: number;
  reconnects: number;
}

/** Connects and subscribes one client per user of the load. */
export async function openBrowsers(t: Cleanup, world: AnyWorld): Promise<Browser[]> {
  const browsers: Browser[] = [];
  for (const tenant of [...world.tenants, world.limited]) {
    for (const user of tenant.users) {
      const browser: Browser = {
        tenantId: tenant.id,
        user,
        received: [],
        unrecovered: 0,
        reconnects: 0,
      };
      const page = client({ after: (fn) => t.after(async () => void fn()) }, world.services.wsUrl, {
        getToken: () => fetchToken(world, tenant.apiKey, user),
      });
      const { subscription } = await subscribed(page, `personal#${user}`);
      page.on("connected", () => {
        browser.reconnects += 1;
      });
      subscription.on("subscribed", ({ wasRecovering, recovered }) => {
        if (wasRecovering && !recovered) browser.unrecovered += 1;
      });
      subscription.on("publication", ({ data, tags }) => {
        browser.received.push({ key: data.title, id: tags?.id ?? "", at: performance.now() });
      });
      browsers.push(browser);
    }
  }
  return browsers;
}

async function fetchToken(world: AnyWorld, apiKey: string, userId: string): Promise<string> {
  const { apiUrls } = world.services;
  const response = await fetch(`${apiUrls.at(-1)}/api/v1/auth/realtime-token`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({ userId }),
    signal: AbortSignal.timeout(5_000),
  });
  if (!response.ok) throw new Error(`token: ${response.status}`);
  const { token } = (await response.json()) as { token: string };
  return token;
}
