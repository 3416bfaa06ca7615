import assert from "node:assert/strict";
import { test } from "node:test";
import { client, LIBRARIES } from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

const keys = { p256dh: "B".repeat(87), auth: "A".repeat(22) };

for (const { version, Library } of LIBRARIES) {
  test(`a page registers its browser and removes it, with ${version}`, async (t) => {
    const world = await createWorld(t);
    await world.db.query("update tenants set browser_devices = true");
    const { url } = await world.startGateway();
    const token = await world.token({ tenant: "acme", user: "ann" });
    const page = client(t, url, { token }, Library);
    page.connect();
    const call = (method: string, data: object) =>
      page.rpc(method, version.includes("Proto") ? Buffer.from(JSON.stringify(data)) : data);
    const subscription = { endpoint: "https://push.example/1", expirationTime: null, keys };
    await call("device.put", {
      deviceId: "laptop",
      kind: "webpush",
      subscription,
      name: "Firefox",
    });
    const stored = () => world.db.query("select user_id, device_id, name from devices");
    const laptop = { user_id: "ann", device_id: "laptop", name: "Firefox" };
    assert.deepEqual((await stored()).rows, [laptop]);
    await call("device.delete", { deviceId: "laptop" });
    assert.deepEqual((await stored()).rows, []);
  });
}
