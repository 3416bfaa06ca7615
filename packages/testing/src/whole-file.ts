import { after } from "node:test";
import type { Cleanup } from "./cleanup.ts";

/** For what all tests of a file share: it ends after the last of them, what began last first. */
export function wholeFile(): Cleanup {
  const endings = new AsyncDisposableStack();
  after(() => endings.disposeAsync());
  return { after: (ending: () => Promise<void>) => endings.defer(ending) };
}
