import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { seededRandom } from "../failure/random.ts";
import { call, type Stack } from "./stack.ts";
import { connectedBrowser } from "./trace.ts";

const RUNS = 12;
const WAVES = 3;
const CALLS_OF_A_WAVE = 12;
const MOST_EVENTS_OF_A_CALL = 40;
const PUSHED = 100;

interface Item {
  /** What its event is known by; undefined: the event is invalid. */
  key: string | undefined;
  event: Record<string, unknown>;
}

/** The answer to an item, from a batch or a call of its own. */
interface Answered {
  key: string | undefined;
  statusCode: number;
  eventId?: string;
  replayed?: boolean;
  [name: string]: unknown;
}

/** Batches beside single calls, over two replicas. */
export function batchTests(stack: Stack): void {
  const trigger = async (url: string, apiKey: string, { key, event }: Item): Promise<Answered> => {
    const { idempotencyKey, ...body } = event;
    const answer = await call(`${url}/api/v1/events/trigger`, {
      apiKey,
      body,
      headers: idempotencyKey === undefined ? {} : { "x-idempotency-key": String(idempotencyKey) },
    });
    const { status: statusCode, headers } = answer;
    if (statusCode !== 200) return { key, ...answer.body };
    const replayed = headers.get("idempotency-replayed") === "true";
    return { key, statusCode, eventId: headers.get("x-event-id")!, replayed, ...answer.body };
  };
  const triggerBatch = async (url: string, apiKey: string, items: Item[]): Promise<Answered[]> => {
    const { status, body } = await call(`${url}/api/v1/events/trigger-batch`, {
      apiKey,
      body: { events: items.map(({ event }) => event) },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.results.length, items.length);
    return items.map(({ key }, at) => ({ key, ...body.results[at] }));
  };

  test("whatever mix of batches and single calls: window, cap and keys are exact over two replicas", async (t) => {
    const first = Math.floor(Math.random() * 1_000_000);
    const seen = new Set<string>();
    for (let seed = first; seed < first + RUNS; seed += 1) {
      t.diagnostic(`seed ${seed}`);
      const random = seededRandom(seed);
      const upTo = (most: number) => 1 + Math.floor(random() * most);
      const perMinute = 9 + upTo(60);
      const dailyCap = seed % 2 === 0 ? null : upTo(40);
      const { id, apiKey } = await stack.createTenant({ name: `T${seed}`, perMinute, dailyCap });
      const given = () => itemOf(random, upTo(perMinute * 2));
      const answers: Answered[] = [];
      for (let wave = 0; wave < WAVES; wave += 1) {
        const calls = Array.from({ length: CALLS_OF_A_WAVE }, () => {
          const url = stack.apiUrls[upTo(2) - 1]!;
          if (random() < 0.4) return trigger(url, apiKey, given());
          const items = Array.from({ length: upTo(MOST_EVENTS_OF_A_CALL) }, given);
          return triggerBatch(url, apiKey, items);
        });
        answers.push(...(await Promise.all(calls)).flat());
      }
      const message = `seed ${seed}: ${perMinute} a minute, ${dailyCap} a day`;

      const accepted = answers.filter(({ statusCode }) => statusCode === 200);
      const fresh = accepted.filter(({ replayed }) => !replayed);
      const refused = (limit: string) => answers.filter((one) => one.message === limit);
      const limitText = `Rate limit exceeded for tenant T${seed}. Limit:`;
      const minute = refused(`${limitText} ${perMinute}/min`);
      const day = refused(`${limitText} ${dailyCap}/day`);
      for (const { statusCode, error, retryAfter } of [...minute, ...day]) {
        assert.deepEqual([statusCode, error], [429, "Too Many Requests"], message);
        assert.ok(Number.isInteger(retryAfter) && Number(retryAfter) >= 1, message);
      }
      const invalid = answers.filter(({ key }) => key === undefined);
      for (const { key: _, ...answer } of invalid) assert.deepEqual(answer, INVALID, message);
      const told = [accepted, minute, day, invalid];
      assert.equal(
        told.reduce((sum, { length }) => sum + length, 0),
        answers.length,
        `${message}: every answer is one of these`,
      );

      if (minute.length > 0) assert.equal(accepted.length, perMinute, message);
      else assert.ok(accepted.length <= perMinute, message);
      if (day.length > 0) assert.equal(fresh.length, dailyCap, message);
      else assert.ok(fresh.length <= (dailyCap ?? Number.POSITIVE_INFINITY), message);
      const keysOverCap = new Set(day.map(({ key }) => key));
      for (const [key, same] of Map.groupBy(accepted, (one) => one.key)) {
        assert.equal(same.filter(({ replayed }) => !replayed).length, 1, `${message}: ${key}`);
        assert.equal(new Set(same.map(({ eventId }) => eventId)).size, 1, `${message}: ${key}`);
        assert.equal(new Set(same.map((one) => one.message)).size, 1, `${message}: ${key}`);
        assert.ok(!keysOverCap.has(key), `${message}: ${key} is a replay, and costs no day`);
      }
      const { rows } = await stack.pool.query(
        `select day_total as day, ring_total as minute,
                (select count(*)::int from events where tenant_id = $1) as events,
                (select count(*)::int from dedup_keys where tenant_id = $1) as keys
         from tenant_limits where tenant_id = $1`,
        [id],
      );
      const events = fresh.length;
      const counted = { day: events, minute: accepted.length, events, keys: events };
      assert.deepEqual(rows, [counted], message);
      for (const [kind, list] of Object.entries({ accepted, minute, day, invalid })) {
        if (list.length > 0) seen.add(kind);
      }
      if (accepted.length > fresh.length) seen.add("replayed");
    }
    assert.deepEqual([...seen].sort(), ["accepted", "day", "invalid", "minute", "replayed"]);
  });

  test("the events of a batch reach each user's browser in the order of the batch", async () => {
    const tenant = await stack.createReadyTenant({}, { channels: ["PUSH"] });
    const users = ["user-1", "user-2", "user-3"];
    await using browsers = new AsyncDisposableStack();
    const open = users.map((user) => connectedBrowser(stack, tenant.apiKey, user));
    const opened = (await Promise.all(open)).map((browser) => browsers.use(browser));
    const items = Array.from({ length: PUSHED }, (_, at) => {
      const userId = users[(at * at) % users.length]!;
      const event = { payload: { userId }, variables: { orderId: `${at}` } };
      // Neither the keys nor their digests are in this order.
      return { key: "", event: { ...ORDER, ...event, idempotencyKey: `${PUSHED - at}` } };
    });
    for (const [turn, url] of stack.apiUrls.entries()) {
      const own = items.map(({ key, event }) => {
        return { key, event: { ...event, idempotencyKey: `${turn} ${event.idempotencyKey}` } };
      });
      const answers = await triggerBatch(url, tenant.apiKey, own);
      for (const answer of answers) assertHas(answer, { statusCode: 200, replayed: false });
      for (const [at, browser] of opened.entries()) {
        const mine = items.filter(({ event }) => event.payload.userId === users[at]);
        const expected = mine.map(({ event }) => `Order ${event.variables.orderId}`);
        const pushed = () => browser.pushed.slice(turn * mine.length);
        await eventually(() => pushed().length === mine.length);
        assertEach(pushed(), ({ data }) => data.title, expected);
      }
    }
  });
}

const ORDER = { eventType: "order.confirmed" };
const INVALID = {
  statusCode: 422,
  error: "Validation Error",
  message: ["payload.userId must be a string"],
};

/** An event of one of so many keys: its own or the automatic one, now or later, and sometimes invalid. */
function itemOf(random: () => number, key: number): Item {
  if (random() < 0.1) return { key: undefined, event: { ...ORDER, payload: { userId: key } } };
  if (random() < 0.3) {
    const event = { ...ORDER, payload: { userId: `user-${key}` } };
    return { key: `automatic ${key}`, event };
  }
  // What comes with the key later may be of another type and time: the first counts.
  const event = {
    eventType: random() < 0.5 ? "order.confirmed" : "order.shipped",
    payload: { userId: `user-${Math.floor(random() * 5)}` },
    ...(random() < 0.3 && { delaySeconds: 3600 }),
    idempotencyKey: `${key}`,
  };
  return { key: `explicit ${key}`, event };
}
