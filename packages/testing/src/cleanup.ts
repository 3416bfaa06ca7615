/** What `test`, `describe` and hooks of node:test hand over: what is to end with them. */
export interface Cleanup {
  after(fn: () => void | Promise<void>): void;
}
