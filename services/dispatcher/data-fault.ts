/** Data exceptions, broken constraints, limits of a program: the rows at hand are to blame. */
const DATA_FAULT_CLASSES = new Set(["22", "23", "54"]);

/**
 * Whether an error comes from the data of the batch, so that the rest of the batch may go well without
 * it. Everything else (connections, shutdowns, missing rights, a full disk) would come back for each.
 */
export function isDataFault(err: unknown): boolean {
  if (!(err instanceof Error)) return false;
  const { code, severity } = err as { code?: unknown; severity?: unknown };
  if (typeof code === "string" && code.length === 5 && severity !== undefined) {
    return DATA_FAULT_CLASSES.has(code.slice(0, 2));
  }
  // Thrown by our own code while it routed or rendered.
  return err instanceof SyntaxError || err instanceof TypeError || err instanceof RangeError;
}
