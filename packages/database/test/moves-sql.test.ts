import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { deliveryMovesSql } from "./delivery-moves-sql.ts";

const FILE = fileURLToPath(new URL("../src/functions/delivery-moves.sql", import.meta.url));

test("the database knows the moves of a delivery that the code knows", (t) => {
  t.assert.fileSnapshot(deliveryMovesSql(), FILE, { serializers: [(text: string) => text] });
});
