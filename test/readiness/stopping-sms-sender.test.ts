import { testStopping } from "./stopping-table.ts";

testStopping("sms-sender");
