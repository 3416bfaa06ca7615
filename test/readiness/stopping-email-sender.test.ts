import { testStopping } from "./stopping-table.ts";

testStopping("email-sender");
