import assert from "node:assert/strict";
import { test } from "node:test";
import { sentContent } from "@belfry/administration/events/sent-content";
import { putTemplate } from "@belfry/administration/test/templates";
import { eventually } from "@belfry/testing/eventually";
import { outcomeOf, settled } from "./outcome.ts";
import { call, type Stack, triggered } from "./stack.ts";
import { connectedBrowser } from "./trace.ts";

const ACTIONS = [
  { label: "Track {{orderId}}", url: "{{track}}" },
  { label: "Rate it", url: "/orders/{{orderId}}/rate?to={{back}}" },
];

/** The link of a push is the same live, recovered, from the history and in a page of it. */
export function linkTests(stack: Stack): void {
  const [api] = stack.apiUrls;

  test("a push leads where its template says, however it is read; what has no links is as ever", async () => {
    const tenant = await stack.createReadyTenant({}, { channels: ["PUSH"] });
    await putTemplate(stack.db, {
      ...{ tenantId: tenant.id, eventType: "order.linked", channel: "PUSH" },
      ...{ title: "Order {{orderId}}", content: "Thank you" },
      ...{ url: "/orders/{{orderId}}", actions: ACTIONS },
    });
    await using browser = await connectedBrowser(stack, tenant.apiKey);
    const { client, pushed } = browser;
    const subscription = client.getSubscription("personal#user-1")!;
    const send = async (variables: object, eventType = "order.linked") => {
      const id = await triggered(stack, tenant.apiKey, { variables, eventType });
      assert.equal((await outcomeOf(stack, id)).PUSH, "published");
      return id;
    };
    const plain = await send({ orderId: "A-0" }, "order.confirmed");
    const linked = await send({ orderId: "A 1", track: "https://t.example/1", back: "a&b\\" });
    const refused = await send({ orderId: "/host.example", track: "javascript:alert(1)" });
    await eventually(() => pushed.some(({ tags }) => tags?.id === refused));
    const byId = new Map(pushed.map((publication) => [publication.tags?.id, publication]));
    const url = "/orders/A%201";
    const actions = [
      { label: "Track A 1", url: "https://t.example/1" },
      { label: "Rate it", url: "/orders/A%201/rate?to=a%26b%5C" },
    ];
    const { tags, data } = byId.get(linked) ?? {};
    assert.deepEqual(
      { ...tags },
      { id: linked, createdAt: tags?.createdAt, url, actions: JSON.stringify(actions) },
    );
    assert.deepEqual(Object.keys(data), ["title", "body", "category", "eventType"]);
    assert.deepEqual(Object.keys(byId.get(plain)?.tags ?? {}), ["id", "createdAt"]);

    const history = await call(`${api}/api/v1/notifications/${tenant.id}/user-1?limit=100`, {
      apiKey: tenant.apiKey,
    });
    const rpc = await client.rpc("notifications.list", { limit: 100 });
    for (const items of [history.body.data, rpc.data.notifications]) {
      const item = (id: string) => items.find((one: { id: string }) => one.id === id);
      assert.deepEqual([item(linked).url, item(linked).actions], [url, actions]);
      const specified = ["id", "type", "title", "body", "status", "created_at"];
      assert.deepEqual(Object.keys(item(plain)), specified);
    }
    // Recovers all publications, as a page does that was offline.
    for (const reverse of [false, true]) {
      const page = await subscription.history({ limit: 100, reverse });
      for (const again of page.publications) {
        assert.deepEqual(again.tags, byId.get(again.tags?.id)?.tags);
      }
      assert.equal(page.publications.length, pushed.length);
    }

    const shown = byId.get(refused)?.tags;
    assert.equal(shown?.url, "/orders//host.example");
    assert.equal(shown?.actions, '[{"label":"Rate it","url":"/orders//host.example/rate?to="}]');
    const told = (await settled(stack, refused)).timeline.map(({ what }) => what);
    const words = "links left out: action 1 (neither https nor a path)";
    assert.ok(told.includes(words), told.join("\n"));
    const content = await sentContent(stack.db, tenant.id, linked, "PUSH");
    assert.ok(content.shown && content.content.kind === "notification");
    assert.deepEqual([content.content.url, content.content.actions], [url, actions]);
  });
}
