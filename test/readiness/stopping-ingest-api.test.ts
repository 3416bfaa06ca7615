import { testStopping } from "./stopping-table.ts";

testStopping("ingest-api");
