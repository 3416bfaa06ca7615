/** A path of ours to go on to after signing in; "/" for whatever could lead elsewhere. */
export function ownPath(given: string | null): string {
  if (given === null || !given.startsWith("/") || given.length > 2000) return "/";
  const base = "http://here.invalid";
  let url: URL;
  try {
    url = new URL(given, base);
  } catch {
    return "/";
  }
  // "//elsewhere" and "/\elsewhere" are other hosts to a browser.
  if (url.origin !== base || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search;
}
