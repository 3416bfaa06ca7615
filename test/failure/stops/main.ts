import { runStops } from "./run-stops.ts";

/** `pnpm failure:stops`: SIGTERM to each service in turn, under load. */
process.exit((await runStops()) ? 0 : 1);
