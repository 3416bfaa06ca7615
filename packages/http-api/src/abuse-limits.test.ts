import assert from "node:assert/strict";
import { test } from "node:test";
import { createHttpServer } from "@belfry/service/http";
import { createLogger } from "@belfry/service/logger";
import { createAbuseLimits } from "./abuse-limits.ts";

test("whoever guesses keys is counted by the network that he can take addresses of", async () => {
  const log = createLogger({ service: "test", level: "silent" });
  await using app = createHttpServer({ log, maxBodyBytes: 1024, trustProxy: "127.0.0.1" });
  const bounds = {
    unknownKeysPerMinute: 2,
    otherPerMinute: 1,
    receiptsPerMinute: 1,
    linksPerMinute: 60,
    otherAtATime: 8,
  };
  const limits = await createAbuseLimits(app, bounds);
  app.get("/guess", async (request) => {
    await limits.countUnknownKey(request);
    return {};
  });
  const guess = async (from: string) => {
    const answer = await app.inject({ url: "/guess", headers: { "x-forwarded-for": from } });
    return answer.statusCode;
  };
  assert.equal(await guess("2001:db8:1:2::1"), 200);
  assert.equal(await guess("2001:db8:1:2:aaaa::1"), 200);
  assert.equal(await guess("2001:db8:1:2::3"), 429);
  assert.equal(await guess("2001:db8:1:3::1"), 200, "another's network");
});

test("of calls that come at once as many are let in as the minute has", async () => {
  const log = createLogger({ service: "test", level: "silent" });
  await using app = createHttpServer({ log, maxBodyBytes: 1024 });
  const bounds = { unknownKeysPerMinute: 1, otherPerMinute: 20, otherAtATime: 8 };
  const limits = await createAbuseLimits(app, bounds);
  app.get("/call", async (request) => {
    await limits.countOther(request, "acme");
    return {};
  });
  await app.ready();
  const answers = await Promise.all(Array.from({ length: 30 }, () => app.inject("/call")));
  const letIn = answers.filter(({ statusCode }) => statusCode === 200);
  assert.equal(letIn.length, 20);
});
