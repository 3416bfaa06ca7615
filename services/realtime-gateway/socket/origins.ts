/**
 * Reads `https://app.example.com,https://*.example.com`; `*` stands for one or more labels. Returns
 * whether a request's Origin is allowed. An empty list allows any; a request without Origin is no
 * browser's and always allowed. Throws on an entry that is no origin.
 */
export function parseOrigins(list: string): (origin: string | undefined) => boolean {
  const entries = list.split(",").map((entry) => entry.trim().toLowerCase());
  const patterns = entries.filter((entry) => entry !== "").map(patternOf);
  if (patterns.length === 0) return () => true;
  return (origin) =>
    origin === undefined || patterns.some((pattern) => pattern.test(origin.toLowerCase()));
}

function patternOf(entry: string, index: number): RegExp {
  if (!/^[a-z][a-z0-9+.-]*:\/\/(\*\.)?[a-z0-9._:[\]-]+$/.test(entry)) {
    throw new Error(`origin ${index + 1} is not of the form https://app.example.com`);
  }
  const source = entry.replaceAll(/[.+[\]]/g, "\\$&").replace("://*\\.", "://([a-z0-9-]+\\.)+");
  return new RegExp(`^${source}$`);
}
