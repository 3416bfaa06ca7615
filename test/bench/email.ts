import { join } from "node:path";
import { type Backlog, createBacklog } from "./backlog.ts";
import type { BenchOptions } from "./bench-options.ts";
import { createBenchTenants } from "./bench-tenants.ts";
import { cpuMicros, cpuTimes } from "./cpu-time.ts";
import type { MailsAsked } from "./email-yardstick.ts";
import {
  compared,
  type Measured,
  mediansOf,
  printLine,
  printRound,
  ROUND_COLUMNS,
} from "./figures.ts";
import { startNode } from "./node-process.ts";
import { type BenchServers, startServers } from "./servers.ts";
import { startService } from "./start-service.ts";
import { startVendor, type Vendor } from "./start-vendor.ts";

/**
 * Mails a second from deliveries on their way to the vendor (claim, render, call, settle), beside the
 * vendor's library in a bare loop. The vendor is a process of its own, answers at once and does the
 * counting for both.
 */
const ROUNDS = 5;
const MAILS = 8_000;
const QUICK_MAILS = 100;
const TENANTS = 15;
/** What the sender's 64 are for so many tenants: each has a share of 64 / (tenants + 1). */
const AT_A_TIME = 60;
const WARM_UP = 0.25;

interface Bench {
  servers: BenchServers;
  backlog: Backlog;
  vendor: Vendor;
  mails: number;
}

export async function run(options: BenchOptions) {
  const mails = options.quick ? QUICK_MAILS : MAILS;
  const rounds = options.rounds ?? (options.quick ? 1 : ROUNDS);
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await startServers(options));
  const vendor = resources.use(await startVendor());
  const count = options.quick ? 2 : TENANTS;
  const tenants = await createBenchTenants(servers, { count, vendorUrl: vendor.url });
  const backlog = resources.use(await createBacklog(servers, tenants));
  // Releases the deliveries, each tenant's as the sender gets them done.
  await using _dispatcher = await startService("dispatcher", servers);
  const bench: Bench = { servers, backlog, vendor, mails };
  if (options.webhooks) await putEndpoints(backlog);

  printLine(ROUND_COLUMNS);
  const belfry: Measured[] = [];
  const yardstick: Measured[] = [];
  const told: Measured[] = [];
  let mail = "";
  for (let at = 1; at <= rounds; at += 1) {
    const own = await measureSender(bench);
    await requireTold(backlog, 0);
    mail = (await vendor.result()).lastMail;
    const bare = await measureYardstick(bench, mail);
    await backlog.clear();
    yardstick.push(bare);
    belfry.push(own);
    let informed: Measured | undefined;
    if (options.webhooks) {
      await backlog.pool.query("update webhooks set active = true");
      informed = await measureSender(bench);
      await requireTold(backlog, mails);
      await backlog.pool.query("update webhooks set active = false");
      await backlog.clear();
      told.push(informed);
    }
    printRound(at, "email-sender", { sender: own, bare, ...(informed && { "… told": informed }) });
  }
  return {
    bench: "email" as const,
    mails,
    mailBytes: mail.length,
    ...compared(belfry, yardstick),
    // With an endpoint of each tenant that is told of every mail.
    ...(options.webhooks && { told: mediansOf(told) }),
  };
}

export type EmailResult = Awaited<ReturnType<typeof run>>;

/** Paused, so that the messages are written and rest: what is measured is a settlement, not the posting. */
async function putEndpoints({ pool }: Backlog): Promise<void> {
  await pool.query(
    `insert into webhooks (id, tenant_id, url, secret, paused_until, active, disabled_at)
     select gen_random_uuid(), id, 'https://hooks.example.com/', '', now() + interval '1 day', false, now() from tenants`,
  );
}

async function requireTold({ pool }: Backlog, mails: number): Promise<void> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::integer from webhook_messages where type = 'delivery.accepted'",
  );
  const { count } = rows[0]!;
  if (count !== mails) throw new Error(`of ${mails} mails ${count} were told of`);
}

async function measureSender({ servers, backlog, vendor, mails }: Bench): Promise<Measured> {
  await backlog.publish(await backlog.accept(mails, ["EMAIL"]));
  await backlog.untilLeft(0);
  const measuring = measureCpu(await vendor.count(mails * WARM_UP, mails), mails);
  await using _sender = await startService("email-sender", servers);
  const measured = await measuring;
  await backlog.untilNone("channel = 'EMAIL' and status <> 'accepted'");
  return measured;
}

async function measureYardstick(bench: Bench, body: string): Promise<Measured> {
  const { vendor, mails: count } = bench;
  await using yardstick = startNode(join(import.meta.dirname, "email-yardstick.ts"), {
    VENDOR_URL: vendor.url,
    AT_A_TIME: String(AT_A_TIME),
    NODE_ENV: "production",
  });
  await yardstick.ready;
  const measuring = measureCpu(await vendor.count(count * WARM_UP, count), count);
  yardstick.child.send({ type: "send", count, body } satisfies MailsAsked);
  return await measuring;
}

async function measureCpu(
  counting: { warm: Promise<void>; perSecond: Promise<number> },
  mails: number,
): Promise<Measured> {
  await counting.warm;
  const before = await cpuTimes();
  const perSecond = await counting.perSecond;
  return { perSecond, cpu: cpuMicros(before, await cpuTimes(), mails * (1 - WARM_UP)) };
}
