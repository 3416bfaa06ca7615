import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Browser, openBrowsers } from "./browsers.ts";
import { FAULTS } from "./faults.ts";
import { runFault } from "./run-fault.ts";
import { SHORT } from "./settings.ts";
import { breaches, doubleCauses, faultTable } from "./table.ts";
import { createWorld, type World } from "./world.ts";

/** The short form of `pnpm failure`: the most telling faults, against short waits. */

const seed = Math.floor(Math.random() * 1_000_000);

describe(`what is answered 200 arrives, and what is refused is never sent (seed ${seed})`, () => {
  const resources = new AsyncDisposableStack();
  const t = { after: (fn: () => Promise<void>) => resources.defer(fn) };
  let world: World;
  let browsers: Browser[];
  before(async () => {
    world = await createWorld(t, SHORT);
    browsers = await openBrowsers(t, world);
  });
  after(() => resources.disposeAsync());

  for (const [at, fault] of FAULTS.filter(({ short }) => short === true).entries()) {
    test(`fault: ${fault.name}`, async (context) => {
      const result = await runFault(world, browsers, fault, { label: `s${at}`, seed: seed + at });
      for (const line of faultTable([result]).split("\n")) context.diagnostic(line);
      for (const line of doubleCauses([result])) context.diagnostic(line);
      assert.deepEqual(breaches(result), []);
    });
  }
});
