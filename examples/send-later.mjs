import { createClient } from "@belfry/client";

const belfry = createClient({
  baseUrl: process.env.BELFRY_URL,
  apiKey: process.env.BELFRY_API_KEY,
});
const HOUR_MS = 60 * 60_000;
const inHours = (hours) => new Date(Date.now() + hours * HOUR_MS).toISOString();

// Two reminders of one appointment, with one name to cancel both.
const remind = (hours) =>
  belfry.trigger({
    eventType: "global.info",
    payload: { userId: "user-1" },
    variables: { title: "Your appointment", message: `It begins in ${hours} hours.` },
    sendAt: inHours(48 - hours),
    cancelKey: "appointment-77",
  });
const [dayBefore] = [await remind(24), await remind(2)];

const { events } = await belfry.scheduled({ limit: 50 });
console.log("scheduled:", events.filter(({ cancelKey }) => cancelKey === "appointment-77").length);

// The appointment moves to an hour earlier, and is then called off.
await belfry.moveEvent(dayBefore.id, inHours(23));
const { cancelled } = await belfry.cancel({ cancelKeys: ["appointment-77"] });
console.log("cancelled:", cancelled.length);
console.log("status:", (await belfry.event(dayBefore.id)).status);
