import assert from "node:assert/strict";
import { test } from "node:test";
import { createFixture } from "../test/sending-fixture.ts";
import { createRenderers } from "./renderers.ts";

test("a version's renderer is made once, for all who ask; one that is gone, and a read that failed, are asked for anew", async (t) => {
  const { pool, tenant, template } = await createFixture(t);
  const id = await template(await tenant());
  let reads = 0;
  let isAway = false;
  const counted = {
    query: (...given: unknown[]) => {
      reads += 1;
      if (isAway) return Promise.reject(new Error("away"));
      return (pool.query as (...all: unknown[]) => Promise<unknown>)(...given);
    },
  } as unknown as typeof pool;
  const renderers = createRenderers(counted, 2);

  const [one, other] = await Promise.all([renderers.of(id), renderers.of(id)]);
  assert.ok(one !== undefined && one === other && one === (await renderers.of(id)));
  assert.equal(reads, 1);

  for (const times of [2, 3]) {
    assert.equal(await renderers.of("9000000000"), undefined);
    assert.equal(reads, times);
  }

  isAway = true;
  const failing = createRenderers(counted);
  await assert.rejects(failing.of(id), /away/);
  isAway = false;
  assert.ok(await failing.of(id));
});

test("of more versions than are remembered, each that is being read reaches who asked", async (t) => {
  const { pool, tenant, template } = await createFixture(t);
  const of = await tenant();
  const ids = await Promise.all([1, 2, 3, 4, 5].map(() => template(of)));
  const renderers = createRenderers(pool, 2);
  const found = await Promise.all(ids.map((id) => renderers.of(id)));
  assert.ok(found.every((one) => one !== undefined));
});
