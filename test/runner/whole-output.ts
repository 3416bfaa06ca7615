/**
 * Loaded before a test file (`--import`). If a process exits while its output pipe is full, its last test results get
 * lost without an error. This makes every write wait until the pipe has room.
 */
const { _handle: pipe } = process.stdout as { _handle?: { setBlocking?(on: boolean): void } };
pipe?.setBlocking?.(true);
