import { testStopping } from "./stopping-table.ts";

testStopping("realtime-gateway");
