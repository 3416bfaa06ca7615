/** The pages that links in messages lead to, served by ingest-api: a path for each purpose, then the token. */
export const LINK_PAGES = { unsubscribe: "/unsubscribe", preferences: "/preferences" } as const;

/** What a link is for: a token that was made for another purpose opens nothing. */
export type LinkPurpose = keyof typeof LINK_PAGES;

/** The address of a page, for a message. */
export function linkAddress(publicUrl: string, purpose: LinkPurpose, token: string): string {
  return `${publicUrl}${LINK_PAGES[purpose]}/${token}`;
}

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
const MAX_CHARACTERS = 200;

/**
 * Reads `PUBLIC_URL`, where browsers reach ingest-api: https (or http on this machine), a host, perhaps a path.
 * Returns it without a slash at its end. Throws an error that says what is wrong.
 */
export function parsePublicUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("must be an https address");
  if (url.protocol === "http:" && !LOCAL_HOSTS.has(url.hostname)) {
    throw new Error("must be https: mailbox providers and people are sent there");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new Error("must hold no user, query or fragment");
  }
  const { origin, pathname } = url;
  const address = `${origin}${pathname}`.replace(/\/+$/, "");
  if (address.length > MAX_CHARACTERS) {
    throw new Error(`must have at most ${MAX_CHARACTERS} characters`);
  }
  return address;
}
