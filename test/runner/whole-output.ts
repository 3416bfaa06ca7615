/**
 * Loaded before a test file (`--import`). A process that ends while its pipe is full takes the last results with it,
 * and they look like tests that there are not: here every write waits until the pipe has room.
 */
const { _handle: pipe } = process.stdout as { _handle?: { setBlocking?(on: boolean): void } };
pipe?.setBlocking?.(true);
