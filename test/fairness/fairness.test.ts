import assert from "node:assert/strict";
import { before, describe, type TestContext, test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { call, freshKey, type Stack, startStack } from "../end-to-end/stack.ts";
import { startVendors, type Vendors } from "../failure/vendors.ts";
import { createLoadTenant, EVENT_TYPE, type LoadTenant } from "../failure/world.ts";
import { insertBacklog } from "./backlog.ts";
import { acceptResting, makeDue } from "./resting.ts";

/** FAIRNESS_BACKLOG=100000 is the long form. */
// biome-ignore lint/style/noProcessEnv: the size of a test, not configuration of a service
const BACKLOG = Number(process.env.FAIRNESS_BACKLOG ?? 5_000);
/** The promise, from the answer 200 (or from when a retry is due) to the provider's call. */
const WITHIN_MS = 2_000;
const CODES = 5;
/** Calls of providers at a time, a sender: of a tenant alone, half. */
const CONCURRENCY = 16;
const VENDOR_DELAY_MS = 50;
const FLOOD = 3_000;
/** Of one tenant, let go at a time before the next has its turn. */
const TURN = 200;
const EXPRESS_PER_MINUTE = 100;
const FLOODS = /^key-(backlog|due)-/;

describe("nobody starves", () => {
  const resources = new AsyncDisposableStack();
  const t = { after: (fn: () => unknown) => resources.defer(async () => void (await fn())) };
  let stack: Stack;
  let vendors: Vendors;
  let big: LoadTenant;
  let small: LoadTenant;

  const tenant = (name: string, vendorUrl: string) =>
    createLoadTenant(stack.db, { name, perMinute: 1_000_000, vendorUrl, keys: stack.keys });
  // The flood comes first in every order by id: whoever takes turns in name only is found out.
  const pairOfTenants = async (one: string, other: string) => {
    const pair = await Promise.all([tenant(one, vendors.url), tenant(other, vendors.url)]);
    return pair[0].id < pair[1].id ? pair : ([pair[1], pair[0]] as const);
  };

  before(async () => {
    stack = await startStack(t, {
      env: {
        CONCURRENCY: String(CONCURRENCY),
        MESSAGES_IN_HAND: String(3 * CONCURRENCY),
        EXPRESS_PER_MINUTE: String(EXPRESS_PER_MINUTE),
      },
    });
    vendors = await startVendors(t);
    vendors.delayMs = VENDOR_DELAY_MS;
    [big, small] = await pairOfTenants("One", "Other");
    await insertBacklog(stack, big.id, { label: "backlog", count: BACKLOG });
    await eventually(() => sentOf("backlog") > 2 * CONCURRENCY);
  });
  test.after(() => resources.disposeAsync());

  const sentOf = (label: string) =>
    vendors.requests.filter(({ key }) => key.startsWith(`key-${label}-`)).length;

  /** What waited for its call since a moment: how long, and how many of the flood's calls came first. */
  const waited = (sinceAt: number, calledAt: number): Wait => ({
    ms: calledAt - sinceAt,
    overtakenBy: vendors.requests.filter(
      ({ key, at }) => FLOODS.test(key) && at > sinceAt && at < calledAt,
    ).length,
  });

  /** From the answer 200 to the provider's call. */
  const sendCode = async (key: string): Promise<Wait> => {
    assert.equal((await triggerKey(stack, small, key)).status, 200);
    const acceptedAt = performance.now();
    return waited(acceptedAt, await callOf(vendors, key));
  };

  test("a one-time code leaves within 2 s, whatever another tenant has queued", async (context) => {
    const took: Wait[] = [];
    for (let n = 0; n < CODES; n += 1) took.push(await sendCode(`key-code-${n}`));
    figures(context, `accepted → provider called, beside ${BACKLOG} queued mails`, took);
    assert.ok(sentOf("backlog") < BACKLOG, "the backlog was gone before the codes");
    isSoon(took);
  });

  test("a retry that is due leaves within 2 s of its time", async (context) => {
    const dueInMs = 500;
    const dueAt = performance.now() + dueInMs;
    await insertBacklog(stack, small.id, { label: "retry", count: 1, dueInMs, retries: 1 });
    const took = waited(dueAt, await callOf(vendors, "key-retry-1"));
    figures(context, "due → provider called, beside the same mails", [took]);
    assert.ok(sentOf("backlog") < BACKLOG, "the backlog was gone before the retry");
    isSoon([took]);
    assert.ok(took.ms > -100, `${took.ms} ms`);
  });

  test("a tenant whose provider hangs holds its share of the sender and no more", async (context) => {
    const dead = await startVendors(t);
    dead.mood = "hangs";
    const stuck = await tenant("Stuck", dead.url);
    await insertBacklog(stack, stuck.id, { label: "stuck", count: 500 });
    await eventually(() => dead.requests.length > 0);
    const took: Wait[] = [];
    for (let n = 0; n < CODES; n += 1) took.push(await sendCode(`key-late-${n}`));
    figures(context, "accepted → provider called, beside a tenant whose provider hangs", took);
    context.diagnostic(`calls held by the tenant that hangs: ${dead.requests.length}`);
    isSoon(took);
    // It came beside another that was busy: each gets a third of the calls, and a third stays free.
    assert.ok(dead.requests.length <= CONCURRENCY / 2, `${dead.requests.length} calls held`);
  });

  test("a flood of events of one tenant does not hold up another's event in the dispatcher", async (context) => {
    const flooding = await tenant("Flooding", vendors.url);
    // Frozen, so that the flood is there whole before anything of it is dispatched.
    stack.processes.dispatcher!.signal("SIGSTOP");
    await flood(stack, flooding, FLOOD);
    const answer = await triggerKey(stack, small, "key-calm-1", ["PUSH"]);
    assert.equal(answer.status, 200);
    stack.processes.dispatcher!.signal("SIGCONT");
    const dispatched = await eventually(
      async () => {
        const { rows } = await stack.pool.query<{ left: string; before: string; after_ms: number }>(
          `select (select count(*) from undispatched_events) as left,
             count(*) filter (where flooding.dispatched_at < calm.dispatched_at) as before,
             (extract(epoch from calm.dispatched_at - min(flooding.dispatched_at)) * 1000)::float8 as after_ms
           from events flooding, events calm
           where flooding.tenant_id = $1 and calm.id = $2
           group by calm.dispatched_at`,
          [flooding.id, answer.headers.get("x-event-id")],
        );
        return rows[0]?.left === "0" && rows[0];
      },
      { everyMs: 100 },
    );
    const { before, after_ms: afterMs } = dispatched as { before: string; after_ms: number };
    context.diagnostic(
      `dispatched after ${before} of ${FLOOD} events that were accepted before it, in ${afterMs.toFixed(0)} ms`,
    );
    // All but a few come before it without the lanes; on a busy machine the express lane begins late.
    assert.ok(Number(before) < 0.8 * FLOOD, `after ${before} of ${FLOOD}`);
  });

  test("events of one tenant that are due in the same second hold up nobody else's", async (context) => {
    const [flooding, calm] = await pairOfTenants("Punctual", "Calm");
    await acceptResting(stack.pool, flooding.id, { label: "due", count: BACKLOG });
    await acceptResting(stack.pool, calm.id, { label: "calm", count: 1 });
    await makeDue(stack.pool);
    const dueAt = performance.now();
    const left = async () => {
      const { rows } = await stack.pool.query<{ left: string }>(
        `select (select count(*) from events where tenant_id = $1 and dispatched_at is null) as left`,
        [flooding.id],
      );
      return Number(rows[0]!.left);
    };
    await eventually(async () => (await left()) < BACKLOG, { everyMs: 5 });
    const took = [await sendCode("key-punctual-0")];
    const leftToDispatch = await left();
    for (let n = 1; n < CODES; n += 1) took.push(await sendCode(`key-punctual-${n}`));
    const atTheSame = waited(dueAt, await callOf(vendors, "key-calm-0"));
    figures(context, `accepted → provider called, beside ${BACKLOG} events due at once`, took);
    figures(context, "due → provider called, of an event due in that second", [atTheSame]);
    context.diagnostic(`with the first code ${leftToDispatch} of them waited to be dispatched`);
    assert.ok(sentOf("due") < BACKLOG, "the flood was gone before the codes");
    assert.ok(leftToDispatch > 0, "the flood was dispatched before the first code");
    isSoon([...took, atTheSame]);
    // The turns of the tenants, by the order in which they were let go: no machine is too slow for that.
    const { rows } = await stack.pool.query<{ before: number }>(
      `select count(*)::integer as before from events flood, events calm
       where flood.tenant_id = $1 and calm.tenant_id = $2 and flood.released_at < calm.released_at`,
      [flooding.id, calm.id],
    );
    assert.ok(rows[0]!.before <= TURN, `let go after ${rows[0]!.before}`);
  });
});

interface Wait {
  ms: number;
  overtakenBy: number;
}

/** Within what the sender calls in that time: a slow machine is slow for the flood as well. */
function isSoon(waits: readonly Wait[]): void {
  const most = (WITHIN_MS / VENDOR_DELAY_MS) * CONCURRENCY;
  const worst = Math.max(...waits.map(({ overtakenBy }) => overtakenBy));
  assert.ok(worst < most, `${worst} calls of the flood came first, of ${most}`);
}

function triggerKey(stack: Stack, tenant: LoadTenant, key: string, channels = ["EMAIL"]) {
  return call(`${stack.apiUrls[0]}/api/v1/events/trigger`, {
    apiKey: tenant.apiKey,
    headers: freshKey(),
    body: {
      eventType: EVENT_TYPE,
      payload: { userId: "ann", recipientEmail: "ann@example.com", channels },
      variables: { key },
    },
  });
}

/** When the provider was called for the key, by performance.now(). */
async function callOf(vendors: Vendors, wanted: string): Promise<number> {
  const request = await eventually(
    () => {
      const found = vendors.requests.find(({ key }) => key === wanted);
      if (found === undefined) throw new Error(`the provider was not called for ${wanted}`);
      return found;
    },
    { everyMs: 5 },
  );
  return request.at;
}

async function flood(stack: Stack, tenant: LoadTenant, count: number): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      assert.equal((await triggerKey(stack, tenant, "key-flood-1", ["PUSH"])).status, 200);
    }
  };
  await Promise.all(Array.from({ length: 64 }, worker));
}

function figures(context: TestContext, what: string, took: readonly Wait[]): void {
  const all = took.map(({ ms }) => ms.toFixed(0)).join(", ");
  context.diagnostic(`${what}: ${all} ms (promised: ${WITHIN_MS})`);
}
