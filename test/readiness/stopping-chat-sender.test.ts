import { testStopping } from "./stopping-table.ts";

testStopping("chat-sender");
