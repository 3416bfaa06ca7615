/** The part of node:test's contexts that helpers need: it runs `fn` when the test or suite ends. */
export interface Cleanup {
  after(fn: () => void | Promise<void>): void;
}
