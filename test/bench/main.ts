/** `pnpm bench <name>`: real processes on loopback; the last line of each benchmark is one JSON object. */
const BENCHES: Record<string, () => Promise<{ run(args: string[]): Promise<void> }>> = {
  ingest: () => import("./ingest.ts"),
  realtime: () => import("./realtime.ts"),
};

const [name = "", ...args] = process.argv.slice(2);
const load = BENCHES[name];
if (load === undefined) {
  process.stderr.write(`usage: pnpm bench ${Object.keys(BENCHES).join("|")}\n`);
  process.exitCode = 1;
} else {
  const bench = await load();
  await bench.run(args);
}
