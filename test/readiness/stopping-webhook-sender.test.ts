import { testStopping } from "./stopping-table.ts";

testStopping("webhook-sender");
