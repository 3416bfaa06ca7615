import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@belfry/client";

const belfry = createClient({
  baseUrl: process.env.BELFRY_URL,
  apiKey: process.env.BELFRY_API_KEY,
});

// A trigger without addresses takes those that Belfry knows of the user.
await belfry.putUser("user-2", {
  email: "ann@example.com",
  phone: "+12025550123",
  locale: "de-AT",
  timezone: "Europe/Vienna",
  quietHours: { from: "22:00", to: "06:00" },
});

// The user wants no text messages, of whatever category.
await belfry.changePreferences("user-2", [{ category: "*", channel: "SMS", enabled: false }]);
const { preferences } = await belfry.preferences("user-2");
for (const { category, channel, enabled } of preferences) console.log(category, channel, enabled);

// The user leaves: Belfry deletes everything about them, in the background.
let erasure = await belfry.eraseUser("user-2");
while (erasure.status !== "done") {
  await sleep(200);
  erasure = await belfry.erasure(erasure.id);
}
console.log("erased:", erasure.deleted !== null);
