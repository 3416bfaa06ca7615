import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { BROADCAST_TRANSITIONS } from "@belfry/contracts/broadcasts";
import { DELIVERY_TRANSITIONS } from "@belfry/contracts/delivery";
import { movesSql } from "./moves-sql.ts";

const file = (name: string) =>
  fileURLToPath(new URL(`../src/functions/${name}-moves.sql`, import.meta.url));
const serializers = [(text: string) => text];

test("the database knows the moves of a delivery and of a broadcast that the code knows", (t) => {
  const delivery = movesSql({
    name: "delivery",
    table: "deliveries",
    column: "status",
    allowed: DELIVERY_TRANSITIONS,
    constant: "DELIVERY_TRANSITIONS",
    cost: "-- Measured on and off: some 3 µs for the two moves of a mail, of 800 that it costs in all.\n",
  });
  t.assert.fileSnapshot(delivery, file("delivery"), { serializers });
  const broadcast = movesSql({
    name: "broadcast",
    table: "broadcasts",
    column: "state",
    allowed: BROADCAST_TRANSITIONS,
    constant: "BROADCAST_TRANSITIONS",
  });
  t.assert.fileSnapshot(broadcast, file("broadcast"), { serializers });
});
