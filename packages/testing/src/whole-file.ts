import { after } from "node:test";
import type { Cleanup } from "./cleanup.ts";

/** Cleanup for fixtures that all tests of a file share: it runs after the last test, in reverse order. */
export function wholeFile(): Cleanup {
  const endings = new AsyncDisposableStack();
  after(() => endings.disposeAsync());
  return { after: (ending: () => Promise<void>) => endings.defer(ending) };
}
