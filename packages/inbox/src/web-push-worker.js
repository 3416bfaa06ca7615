/** The service worker of Web Push: a classic script that is served as it stands or loaded by `importScripts`. */
(() => {
  const text = (value) => (typeof value === "string" && value !== "" ? value : undefined);

  /** Returns the address if it is https or a path of this origin, else undefined. */
  function safeUrl(url) {
    if (typeof url !== "string" || !/^(https:\/\/|\/)/i.test(url)) return undefined;
    if (!URL.canParse(url, location.origin)) return undefined;
    const { href, origin } = new URL(url, location.origin);
    return url.startsWith("/") && origin !== location.origin ? undefined : href;
  }

  /** Shows even an unreadable push: a browser ends a subscription whose pushes show nothing. */
  async function show(push) {
    const payload = await (async () => push.json())().catch(() => undefined);
    const { id, title, body, url, image, data, tag } = payload ?? {};
    await registration.showNotification(text(title) ?? location.host, {
      body: text(body) ?? "",
      image: safeUrl(image),
      // A repeated push replaces the first one.
      tag: text(tag) ?? text(id) ?? "",
      data: { belfry: { id: text(id), url: safeUrl(url), data } },
    });
  }

  async function tell(message) {
    const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
    for (const page of pages) page.postMessage(message);
    return pages;
  }

  /** Focuses a page and shows the address in it, or else opens a page. Only a controlled page can be navigated. */
  async function open({ id, url, data }) {
    const click = { type: "belfry-push-click", id, data };
    const pages = await tell(click);
    const there = pages.find((page) => page.url === url || url === undefined);
    if (there !== undefined) return await there.focus();
    const isOwn = url?.startsWith(`${location.origin}/`);
    const [page] = isOwn ? await clients.matchAll({ type: "window" }) : [];
    await page?.focus();
    const opened = await (page?.navigate(url) ?? clients.openWindow(url ?? "/"));
    opened?.postMessage(click);
  }

  /** Subscribes again, so that the next page can register the subscription. */
  async function renew({ newSubscription: made, oldSubscription: old }) {
    if (!made && old) await registration.pushManager.subscribe(old.options);
    await tell({ type: "belfry-push-change" });
  }

  addEventListener("push", (event) => event.waitUntil(show(event.data)));
  addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));
  addEventListener("notificationclick", (event) => {
    const { belfry } = event.notification.data ?? {};
    if (belfry === undefined) return;
    event.notification.close();
    event.waitUntil(open(belfry));
  });
})();
