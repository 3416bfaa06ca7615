/** Checks the links of a notification and its buttons again, whoever wrote them. */

const MAX_ACTIONS = 2;

/**
 * https, or a path of this site: what a browser would not read as another site or a script. Undefined: neither.
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
 * Only what is safe; nothing of what is not there.
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
 * The same of a publication: its tags are texts.
 * @param {{ url?: string, actions?: string }} tags
 */
export function linksOfTags({ url, actions }) {
  try {
    return linksOf(url, actions === undefined ? undefined : JSON.parse(actions));
  } catch {
    return linksOf(url, undefined);
  }
}

/** Attributes of an `a`: another site opens beside the page, and does not reach it. */
export function linkAttributes(url) {
  return { href: url, rel: "noopener", target: url.startsWith("/") ? undefined : "_blank" };
}
