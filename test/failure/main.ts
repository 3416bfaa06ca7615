import { FAULTS } from "./faults.ts";
import { runFaults } from "./run-faults.ts";
import { LONG } from "./settings.ts";
import { createWorld } from "./world.ts";

/** `pnpm failure`: Belfry on one nats-server and one Postgres. */
await runFaults({
  faults: FAULTS,
  createWorld,
  mark: "failures",
  introduction: `One fault at a time, under a steady ${LONG.perSecond} events a second on all channels from two tenants (and a third far over its limit), every service a process of its own with its standard settings; a caller retries a 500 or a broken connection under the same \`X-Idempotency-Key\`. Lost: answered 200, and not at the vendor or in the browser. Doubled: at the vendor more than once, where the vendor may have sent both. Times count from the end of the fault: to the first new event that arrived everywhere, and to the last arrival of an event that was triggered before.`,
});
