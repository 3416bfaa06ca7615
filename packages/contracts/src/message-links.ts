/** The pages of ingest-api that links in messages open: a path for each purpose, followed by the token. */
export const LINK_PAGES = { unsubscribe: "/unsubscribe", preferences: "/preferences" } as const;

/** A link's purpose. A page rejects a token for another purpose. */
export type LinkPurpose = keyof typeof LINK_PAGES;

/** Returns the URL of a page for a message. */
export function linkAddress(publicUrl: string, purpose: LinkPurpose, token: string): string {
  return `${publicUrl}${LINK_PAGES[purpose]}/${token}`;
}

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
const MAX_CHARACTERS = 200;

/**
 * Parses `PUBLIC_URL`, the address at which browsers reach ingest-api: https (or http on this machine), a host and
 * optionally a path. Returns it without a slash at its end. Throws an error that says what is wrong.
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

// Schemes of deep links (`myapp:`) that a tenant's mails may contain, besides the schemes that all tenants may use.

export const MAX_LINK_SCHEMES = 20;
const SCHEME = /^[a-z][a-z0-9+.-]{1,62}$/;

/** Schemes that run code, read data of the reader's machine, or wrap another URL. */
const NEVER = new Set(
  "javascript data vbscript file blob filesystem about view-source jar livescript mocha mhtml res shell wyciwyg feed intent search-ms ms-msdt chrome resource".split(
    " ",
  ),
);

/** Returns the fault of a list of schemes, without the field's name; undefined if there is none. */
export function linkSchemesFault(schemes: readonly string[]): string | undefined {
  if (schemes.length > MAX_LINK_SCHEMES) return `must be at most ${MAX_LINK_SCHEMES} schemes`;
  const wrong = schemes.find((scheme) => !SCHEME.test(scheme.toLowerCase()));
  if (wrong !== undefined) {
    return `must hold schemes without their colon, as myapp: 2 to 63 letters, digits and + . -, a letter first (${JSON.stringify(wrong.slice(0, 70))} is none)`;
  }
  const never = schemes.find((scheme) => NEVER.has(scheme.toLowerCase()));
  return never === undefined ? undefined : `must not hold ${never.toLowerCase()}: it is never safe`;
}

/** Returns the schemes in lower case, each once. */
export function canonicalLinkSchemes(schemes: readonly string[]): string[] {
  return [...new Set(schemes.map((scheme) => scheme.toLowerCase()))];
}

/**
 * Links for previews and test sends that look like real ones. Their host never exists (RFC 2606), so nobody
 * unsubscribes a user from a preview.
 */
export const DEAD_LINKS = {
  $unsubscribe_url: "https://belfry.invalid/unsubscribe/preview",
  $preferences_url: "https://belfry.invalid/preferences/preview",
} as const;

/** The same for messages of a category that the reader may turn off. */
export const DEAD_LIST_LINKS = {
  ...DEAD_LINKS,
  $list_unsubscribe_url: DEAD_LINKS.$unsubscribe_url,
} as const;
