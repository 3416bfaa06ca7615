/** Schemes of deep links (`myapp:`) that a tenant's mails may lead to, besides those of everybody. */

export const MAX_LINK_SCHEMES = 20;
const SCHEME = /^[a-z][a-z0-9+.-]{1,62}$/;

/** Schemes that run code, read what is on the reader's machine, or wrap another address. */
const NEVER = new Set(
  "javascript data vbscript file blob filesystem about view-source jar livescript mocha mhtml res shell wyciwyg feed intent search-ms ms-msdt chrome resource".split(
    " ",
  ),
);

/** What is wrong with a list of them, after its field's name; undefined: nothing. */
export function linkSchemesFault(schemes: readonly string[]): string | undefined {
  if (schemes.length > MAX_LINK_SCHEMES) return `must be at most ${MAX_LINK_SCHEMES} schemes`;
  const wrong = schemes.find((scheme) => !SCHEME.test(scheme.toLowerCase()));
  if (wrong !== undefined) {
    return `must hold schemes without their colon, as myapp: 2 to 63 letters, digits and + . -, a letter first (${JSON.stringify(wrong.slice(0, 70))} is none)`;
  }
  const never = schemes.find((scheme) => NEVER.has(scheme.toLowerCase()));
  return never === undefined ? undefined : `must not hold ${never.toLowerCase()}: it is never safe`;
}

/** In lower case, each once. */
export function canonicalLinkSchemes(schemes: readonly string[]): string[] {
  return [...new Set(schemes.map((scheme) => scheme.toLowerCase()))];
}
