/**
 * Whether an error speaks of the values in a statement: Postgres' classes 22 (data) and 23 (constraint).
 * Every other (a connection, a shutdown, a server that takes no writes, a full disk, a deadlock) would
 * come with other values as well, and condemns none.
 */
export function isDataFault(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^2[23][0-9A-Z]{3}$/.test(code);
}
