import { testStopping } from "./stopping-table.ts";

testStopping("device-sender");
