/**
 * `pnpm test:clients`: the unmodified client libraries for Java, Go and Python against the gateway. They need these
 * languages' tools and download the libraries, so that they are no part of `pnpm test`.
 */
import { after, before, describe } from "node:test";
import { testClient } from "./client-promises.ts";
import { buildProgram, PROGRAMS, type StartClient } from "./programs.ts";

for (const name of ["java", "go", "python"] as const) {
  describe(name, () => {
    const { protocols, hasMessages } = PROGRAMS[name];
    const cleanups: (() => void | Promise<void>)[] = [];
    let program: StartClient;
    before(async () => {
      program = await buildProgram({ after: (fn) => void cleanups.push(fn) }, name);
    });
    after(() => Promise.all(cleanups.map((fn) => fn())));
    for (const protocol of protocols) {
      testClient({
        ...{ name, protocol, hasMessages },
        start: (t, settings) => program(t, settings),
      });
    }
  });
}
