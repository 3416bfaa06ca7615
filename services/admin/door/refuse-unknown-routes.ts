import type { FastifyInstance } from "fastify";
import { ACCESS } from "./access.ts";

/** Nothing can be reached that the table of access does not name. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) {
      // Fastify adds HEAD to each GET by itself.
      const key = `${one === "HEAD" ? "GET" : one} ${url}`;
      if (!Object.hasOwn(ACCESS, key)) throw new Error(`${key} is not in the table of access`);
    }
  });
}
