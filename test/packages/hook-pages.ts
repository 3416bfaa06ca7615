/**
 * Pages that draw the documented samples of hooks and composables, on a server and in a browser. A page is a list of boxes, each
 * with a user. A box of the kind `probe` shows a feed by hooks and by the element, and counts what React or Vue draws again.
 */

interface HookPage {
  /** Exports `Page`, for both. */
  readonly page: string;
  readonly browser: string;
  readonly server: string;
}

const SERVER = `
  let calls = 0;
  globalThis.shop = {
    wsUrl: "ws://127.0.0.1:9",
    getToken: async () => { calls += 1; return null; },
  };
  const tell = (html) => setImmediate(() => console.log(JSON.stringify({ html, calls })));
`;

export const HOOK_PAGES: Readonly<Record<string, HookPage>> = {
  "inbox-react-hooks.jsx": {
    page: `
      import { createElement as h, useEffect } from "react";
      import { useInbox, useInboxFeed, usePreferences, useUnreadCount } from "@belfry/inbox/react";
      import { Inbox } from "./inbox-react-hooks.jsx";
      const useDrawn = (name) => useEffect(() => { drawn[name] += 1; });
      function Count({ feed }) {
        useDrawn("count");
        return h("b", null, useUnreadCount(feed));
      }
      function List({ feed }) {
        useDrawn("list");
        window.inbox = useInbox(feed);
        window.seen.add(window.inbox);
        window.preferences = usePreferences(feed);
        return h("i", null, window.inbox.items.length);
      }
      function Probe({ user, feed }) {
        const made = useInboxFeed({ ...shop, getToken: () => shop.getToken(user) }, user.id);
        const shown = feed ?? made;
        return [Count, List, "belfry-inbox"].map((tag) =>
          h(tag, { key: tag, feed: shown, ...(tag === "belfry-inbox" && { inline: true }) }));
      }
      export const Page = ({ boxes }) => boxes.map(({ user, kind }, index) =>
        h(kind ? Probe : Inbox, { key: index, ...shop, user: { id: user }, feed: kind === "own" ? window.feed : undefined }));`,
    browser: `
      import { StrictMode } from "react";
      import { hydrateRoot } from "react-dom/client";
      const pageOf = (boxes) => h(StrictMode, null, h(Page, { boxes }));
      const root = hydrateRoot(document.getElementById("app"), pageOf(window.boxes));
      window.show = (boxes) => root.render(pageOf(boxes));`,
    server: `
      import { renderToString } from "react-dom/server";
      // A user that is not equal to itself must not make a feed with every render.
      renderToString(h(Page, { boxes: [{ user: Number.NaN }] }));
      tell(renderToString(h(Page, { boxes: [{ user: "ann" }] })));`,
  },
  "inbox-vue-composables.vue": {
    page: `
      import { h, onUpdated } from "vue";
      import { useInbox, useInboxFeed, usePreferences, useUnreadCount } from "@belfry/inbox/vue";
      import Inbox from "./inbox-vue-composables.vue";
      const drawnIn = (name, draw) => ({
        props: ["feed"],
        setup(props) {
          onUpdated(() => { drawn[name] += 1; });
          return draw(() => props.feed);
        },
      });
      const Count = drawnIn("count", (feed) => {
        const unread = useUnreadCount(feed);
        return () => h("b", unread.value);
      });
      const List = drawnIn("list", (feed) => {
        window.inbox = useInbox(feed);
        window.preferences = usePreferences(feed);
        return () => h("i", window.inbox.items.value.length + window.inbox.view.value.view);
      });
      const Probe = {
        props: ["user", "feed"],
        setup(props) {
          const made = useInboxFeed(() => ({ ...shop, getToken: () => shop.getToken(props.user) }), () => props.user.id);
          return () => [Count, List, "belfry-inbox"].map((tag) =>
            h(tag, { feed: props.feed ?? made.value, ...(tag === "belfry-inbox" && { inline: true }) }));
        },
      };
      export const Page = ({ boxes }) => boxes.map(({ user, kind }, index) =>
        h(kind ? Probe : Inbox, { key: index, user: { id: user }, ...(kind === undefined ? shop : kind === "own" && { feed: window.feed }) }));
      Page.props = ["boxes"];`,
    browser: `
      import { createSSRApp, effectScope, shallowRef } from "vue";
      const boxes = shallowRef(window.boxes);
      createSSRApp({ render: () => h(Page, { boxes: boxes.value }) }).mount("#app");
      window.show = (next) => { boxes.value = next; };
      window.openStore = () => {
        const scope = effectScope();
        const options = shallowRef({ ...shop, getToken: async () => null });
        const unread = scope.run(() => {
          const feed = useInboxFeed(options);
          options.value = { ...shop, getToken: () => shop.getToken({ id: window.boxes[0].user }) };
          return useUnreadCount(feed);
        });
        return { unread, close: () => scope.stop() };
      };`,
    server: `
      import { createSSRApp, effectScope } from "vue";
      import { renderToString } from "vue/server-renderer";
      import { InboxFeed } from "@belfry/inbox/inbox-feed";
      effectScope().run(() => useUnreadCount(new InboxFeed(shop)));
      renderToString(createSSRApp({ render: () => h(Page, { boxes: [{ user: "ann" }] }) })).then(tell);`,
  },
};

export const serverEntry = ({ page, server }: HookPage): string => `${SERVER}${page}${server}`;
export const browserEntry = ({ page, browser }: HookPage): string =>
  `import "@belfry/inbox"; import { InboxFeed } from "@belfry/inbox/inbox-feed"; window.InboxFeed = InboxFeed;${page}${browser}`;
