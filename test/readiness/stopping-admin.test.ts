import { testStopping } from "./stopping-table.ts";

testStopping("admin");
