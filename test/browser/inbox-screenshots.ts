import { mkdir, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { test } from "node:test";
import type { BrowserContextOptions } from "playwright-core";
import { createWorld, TENANTS } from "../realtime/gateway-under-test.ts";
import { inboxOn, startInboxSite } from "./inbox-page.ts";
import { openBrowser } from "./open-page.ts";

/** `node test/run.ts test/browser/inbox-screenshots.ts`: draws the pictures of docs/inbox.md into docs/screenshots. */

const FOLDER = resolve(import.meta.dirname, "../../docs/screenshots");
const TENANT = TENANTS[0] ?? "";
const THEME = await readFile(resolve(FOLDER, "../../examples/inbox-theme.css"), "utf8");
const NOW = new Date("2026-11-20T15:40:00Z");

interface Text {
  title: string;
  body: string;
  minutesAgo: number;
  read?: boolean;
  url?: string;
  actions?: string[];
}

const ENGLISH: Text[] = [
  {
    title: "Your parcel is nearly there",
    body: "Order A-1001 arrives today before 18:00.",
    minutesAgo: 3,
    url: "/orders/A-1001",
    actions: ["Track it", "Change the day"],
  },
  { title: "Ben answered you", body: "“Thursday works for me.”", minutesAgo: 26, url: "/talk/7" },
  {
    title: "Order A-1001 confirmed",
    body: "Thank you, Ada. We are packing it now.",
    minutesAgo: 60 * 22,
    read: true,
    url: "/orders/A-1001",
  },
  {
    title: "Your invoice of October",
    body: "It was paid by card.",
    minutesAgo: 60 * 24 * 12,
    read: true,
  },
];
const ARABIC: Text[] = [
  {
    title: "طردك في الطريق",
    body: "يصل الطلب A-1001 اليوم قبل السادسة مساءً.",
    minutesAgo: 3,
    url: "/orders/A-1001",
    actions: ["تتبع الطرد"],
  },
  {
    title: "تم تأكيد الطلب A-1001",
    body: "شكرًا لك، نحن نجهزه الآن.",
    minutesAgo: 60 * 22,
    read: true,
  },
];
const ARABIC_WORDS = {
  ...{ title: "الإشعارات", markAllRead: "تعليم الكل كمقروء", markRead: "تعليم كمقروء" },
  markUnread: "تعليم كغير مقروء",
  bell: "الإشعارات، {unread} غير مقروءة",
};

type Ending = "token" | "waits" | "fails";

interface Picture {
  texts?: Text[];
  /** What the page's backend does when it is asked for a token. */
  backend?: Ending;
  /** Waited for before the picture is taken. */
  shows: string;
  html?: string;
  attributes?: string;
  css?: string;
  look?: BrowserContextOptions;
  preferences?: boolean;
}

const PICTURES: Record<string, Picture> = {
  inbox: { texts: ENGLISH, shows: "Your invoice of October" },
  "inbox-dark": {
    ...{ texts: ENGLISH, shows: "Your invoice of October" },
    look: { colorScheme: "dark" },
  },
  "inbox-theme": { texts: ENGLISH, shows: "Your invoice of October", css: THEME },
  "inbox-phone": {
    ...{ texts: ENGLISH, shows: "Your invoice of October" },
    look: { viewport: { width: 360, height: 560 } },
  },
  "inbox-many": { texts: many(), shows: "Order A-1041 confirmed" },
  "inbox-empty": { shows: "Nothing yet. New notifications appear here." },
  "inbox-loading": { backend: "waits", shows: "Loading…" },
  "inbox-error": { backend: "fails", shows: "The page could not sign you in here. Trying again…" },
  "inbox-rtl": {
    ...{ texts: ARABIC, shows: "طردك في الطريق" },
    html: 'lang="ar" dir="rtl"',
    attributes: `no-preferences labels='${JSON.stringify(ARABIC_WORDS)}'`,
  },
  "inbox-preferences": { texts: ENGLISH, preferences: true, shows: "Always sent" },
};

test("pictures of the inbox", { timeout: 300_000 }, async (t) => {
  const world = await createWorld(t);
  const gateway = await world.startGateway({ PING_INTERVAL_MS: "600000" });
  const browser = await openBrowser(t);
  await mkdir(FOLDER, { recursive: true });
  await world.category(TENANT, "orders", { "": "Your orders" }, { required: true });
  await world.category(TENANT, "offers", { "": "Offers" }, { position: 1 });
  for (const [name, picture] of Object.entries(PICTURES)) {
    const { texts = [], backend = "token" } = picture;
    const user = name;
    await store(world.db, user, texts);
    const site = await startInboxSite(t, {
      wsUrl: gateway.url,
      html: picture.html,
      attributes: picture.attributes,
      async token() {
        if (backend === "waits") return new Promise(() => undefined);
        if (backend === "fails") throw new Error("dead");
        const token = await world.token({ tenant: TENANT, user });
        return { token, channels: [`personal#${user}`] };
      },
    });
    const context = await browser.newContext({
      ...{ viewport: { width: 520, height: 640 }, colorScheme: "light", bypassCSP: true },
      ...{ reducedMotion: "reduce", timezoneId: "UTC", locale: "en-GB", ...picture.look },
    });
    const page = await context.newPage();
    await page.clock.setFixedTime(NOW);
    await page.goto(site.url);
    await page.addStyleTag({
      content: `${picture.css ?? ""} h1 { margin: 0; font: 600 20px system-ui } main { display: none }`,
    });
    const inbox = inboxOn(page);
    if (backend === "token") await inbox.state("connected");
    await page.evaluate("document.querySelector('belfry-inbox').open = true");
    if (picture.preferences) await inbox.element.locator("[part~=gear]").click();
    await inbox.element.getByText(picture.shows, { exact: true }).first().waitFor();
    // No outline around what script has focused.
    await page.evaluate("document.activeElement?.shadowRoot?.activeElement?.blur()");
    const panel = await inbox.element.locator("[part~=panel]").boundingBox();
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    const clip = {
      x: 0,
      y: 0,
      width,
      height: Math.min(height, (panel?.y ?? 0) + (panel?.height ?? 0) + 28),
    };
    await page.screenshot({ path: resolve(FOLDER, `${name}.png`), clip });
    await context.close();
  }
});

function many(): Text[] {
  return Array.from({ length: 42 }, (_, at) => ({
    title: `Order A-${1041 - at} confirmed`,
    body: "Thank you. We are packing it now.",
    minutesAgo: 5 + at * 190,
    read: at > 2,
  }));
}

async function store(
  db: { query(text: string, values: unknown[]): Promise<unknown> },
  user: string,
  texts: readonly Text[],
): Promise<void> {
  for (const [at, one] of [...texts].reverse().entries()) {
    const createdAt = new Date(NOW.getTime() - one.minutesAgo * 60_000);
    const actions = one.actions?.map((label) => ({ label, url: "/orders/A-1001" }));
    await db.query(
      `insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset,
         created_at, read_at, url, actions)
       values (gen_random_uuid(), $1, $2, 'order.confirmed', $3, $4, 'personal', $5, $6, $7, $8, $9)`,
      [
        ...[TENANT, user, one.title, one.body, at + 1, createdAt, one.read ? createdAt : null],
        ...[one.url ?? null, actions === undefined ? null : JSON.stringify(actions)],
      ],
    );
  }
}
