import { createClient } from "@belfry/client";

const belfry = createClient({
  baseUrl: process.env.BELFRY_URL,
  apiKey: process.env.BELFRY_API_KEY,
});

// Everybody who follows an order. The first user makes the topic; a repeated call changes nothing.
const topic = "order:1001";
await belfry.changeMembers(topic, { add: ["buyer-1", "seller-7"] });
const members = await belfry.changeMembers(topic, { add: ["courier-3"], remove: ["seller-7"] });
console.log("members:", members);

// Page by page, however many there are.
for (let after; ; ) {
  const { userIds, next } = await belfry.members(topic, { limit: 1, ...(after && { after }) });
  for (const userId of userIds) console.log(userId);
  if (next === undefined) break;
  after = next;
}

await belfry.deleteTopic(topic);
const { topics } = await belfry.topics();
console.log("left:", topics.length);
