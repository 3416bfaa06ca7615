import { runFaults } from "../run-faults.ts";
import { CLUSTER_FAULTS, createClusterWorld } from "./cluster-faults.ts";

/** `pnpm failure:cluster`: Belfry on three nats-servers and three Postgres servers. */
await runFaults({
  faults: CLUSTER_FAULTS,
  createWorld: createClusterWorld,
  mark: "cluster-failures",
  introduction:
    "The same load and the same columns on a cluster: three nats-servers with three copies of each stream (`NATS_REPLICAS=3`, `sync_interval: always`), and a Postgres primary with two standbys (`synchronous_standby_names = 'ANY 1 (…)'`) behind a TCP proxy that leads to the primary.",
});
