const MAX_ACTIONS = 2;

/**
 * Returns the URL if it is https or a path of this site that a browser does not read as another site or a script; else
 * undefined. Links are checked again here, in whatever way they were made.
 * @param {unknown} url
 */
function safeUrl(url) {
  if (typeof url !== "string" || !/^(https:\/\/|\/(?![/\\]))/i.test(url)) return undefined;
  try {
    const to = new URL(url, document.baseURI);
    if (!url.startsWith("/")) return to.protocol === "https:" ? url : undefined;
    // Refuses `/\t/host`: a browser drops the tab.
    return to.host === new URL(document.baseURI).host ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the safe links of a notification. Unsafe and missing ones are left out.
 * @param {unknown} url
 * @param {unknown} actions
 */
export function linksOf(url, actions) {
  const main = safeUrl(url);
  const buttons = (Array.isArray(actions) ? actions : [])
    .slice(0, MAX_ACTIONS)
    .map((action) => ({ label: action?.label, url: safeUrl(action?.url) }))
    .filter(({ label, url }) => typeof label === "string" && url !== undefined);
  return {
    ...(main !== undefined && { url: main }),
    ...(buttons.length > 0 && { actions: buttons }),
  };
}

/**
 * Returns the safe links of a publication, whose tags are texts.
 * @param {{ url?: string, actions?: string }} tags
 */
export function linksOfTags({ url, actions }) {
  try {
    return linksOf(url, actions === undefined ? undefined : JSON.parse(actions));
  } catch {
    return linksOf(url, undefined);
  }
}

/** Returns the attributes of a link. Another site opens in a tab of its own and cannot access the page. */
export function linkAttributes(url) {
  return { href: url, rel: "noopener", target: url.startsWith("/") ? undefined : "_blank" };
}
