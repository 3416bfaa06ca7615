import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@belfry/client";

const belfry = createClient({
  baseUrl: process.env.BELFRY_URL,
  apiKey: process.env.BELFRY_API_KEY,
});

// Who follows a release; a topic may have as many users as you like.
await belfry.changeMembers("release-notes", { add: ["reader-1", "reader-2", "reader-3"] });

// The same key again answers with this broadcast, and sends nothing more.
const { id } = await belfry.broadcasts.create(
  {
    topics: ["release-notes"],
    exceptUserIds: ["reader-3"],
    eventType: "global.info",
    variables: { title: "Release 7", message: "Dark mode is here." },
    channels: ["PUSH"],
  },
  { idempotencyKey: "release-7" },
);

// Each user gets an event of their own, in the background.
let broadcast = await belfry.broadcasts.show(id);
while (broadcast.state !== "done") {
  await sleep(500);
  broadcast = await belfry.broadcasts.show(id);
}
console.log("people:", broadcast.expanded);
console.log("in the inbox:", broadcast.byStatus.published);

// One for next week is called off.
const nextWeek = new Date(Date.now() + 7 * 24 * 60 * 60_000).toISOString();
const planned = await belfry.broadcasts.create({
  userIds: ["reader-1"],
  eventType: "global.info",
  variables: { title: "Release 8", message: "Not yet." },
  sendAt: nextWeek,
});
console.log("planned:", planned.state);
console.log("then:", (await belfry.broadcasts.cancel(planned.id)).state);
