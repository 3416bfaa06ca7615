import type { Channel } from "@belfry/contracts/channels";

/** A template with its text in a file of `demo-templates/`. */
export interface DemoTemplate {
  eventType: string;
  channel: Channel;
  file: string;
  subject?: string;
  title?: string;
  targetChannel?: string;
}

/** What the demo tenant has on its first day. */
export const DEMO_TEMPLATES: readonly DemoTemplate[] = [
  {
    eventType: "order.confirmed",
    channel: "EMAIL",
    file: "order-confirmed.mjml",
    subject: "Your order {{order}} is confirmed",
  },
  { eventType: "order.confirmed", channel: "SMS", file: "order-confirmed.sms.txt" },
  {
    eventType: "order.confirmed",
    channel: "PUSH",
    file: "order-confirmed.push.txt",
    title: "Order {{order}} confirmed",
    targetChannel: "orders",
  },
  { eventType: "parcel.arriving", channel: "SMS", file: "parcel-arriving.sms.txt" },
  {
    eventType: "parcel.arriving",
    channel: "PUSH",
    file: "parcel-arriving.push.txt",
    title: "Your parcel is nearly there",
  },
];
