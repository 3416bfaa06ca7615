import { CHANNEL_ROWS, CHANNELS, type Channel } from "@belfry/contracts/channels";
import { GLOBAL_EVENT_TYPES, SYSTEM_CHANNEL } from "@belfry/contracts/identifiers";
import type { TemplateSource } from "@belfry/templates/source";

/** The platform's first templates, as a person would write them. */

export interface GlobalTemplateSource {
  eventType: (typeof GLOBAL_EVENT_TYPES)[number];
  channel: Channel;
  targetChannel: string | null;
  source: TemplateSource;
}

/** Each colour on its tint, and white on it, has a contrast of at least 4.5. */
const LOOKS = {
  "global.info": { label: "Information", colour: "#1d4ed8", tint: "#eff6ff" },
  "global.success": { label: "Success", colour: "#15803d", tint: "#f0fdf4" },
  "global.warning": { label: "Reminder", colour: "#a16207", tint: "#fefce8" },
  "global.alert": { label: "Important", colour: "#c2410c", tint: "#fff7ed" },
  "global.error": { label: "Problem", colour: "#b91c1c", tint: "#fef2f2" },
} as const;

export const GLOBAL_TEMPLATE_SOURCES: readonly GlobalTemplateSource[] = GLOBAL_EVENT_TYPES.flatMap(
  (eventType) =>
    CHANNELS.map((channel) => ({
      eventType,
      channel,
      targetChannel: CHANNEL_ROWS[channel].sender === null ? SYSTEM_CHANNEL : null,
      source: sourceOf(channel, eventType),
    })),
);

function sourceOf(channel: Channel, eventType: keyof typeof LOOKS): TemplateSource {
  switch (CHANNEL_ROWS[channel].content) {
    case "email":
      return { kind: "email", subject: "{{title}}", content: emailContent(LOOKS[eventType]) };
    case "text":
      return { kind: "text", content: "{{title}}: {{message}}" };
    case "notification":
      return { kind: "notification", title: "{{title}}", content: "{{message}}" };
  }
}

function emailContent(look: { label: string; colour: string; tint: string }): string {
  return `<mjml lang="en">
  <mj-head>
    <mj-title>{{title}}</mj-title>
    <mj-preview>{{message}}</mj-preview>
    <mj-attributes>
      <mj-all font-family="-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" />
      <mj-text font-size="16px" line-height="1.6" color="#334155" padding="0" />
      <mj-section padding="0" />
    </mj-attributes>
  </mj-head>
  <mj-body background-color="#f1f5f9" width="560px">
    <mj-section padding="32px 0 0"><mj-column></mj-column></mj-section>
    <mj-section background-color="${look.colour}" padding="3px" border-radius="12px 12px 0 0">
      <mj-column></mj-column>
    </mj-section>
    <mj-section background-color="#ffffff" padding="32px 36px 40px" border-radius="0 0 12px 12px">
      <mj-column>
        <mj-text padding-bottom="20px">
          <span style="display: inline-block; padding: 3px 12px; border-radius: 12px; background: ${look.tint}; color: ${look.colour}; font-size: 13px; font-weight: 600;">${look.label}</span>
        </mj-text>
        <mj-text font-size="24px" line-height="1.3" font-weight="700" color="#0f172a" padding-bottom="14px">{{title}}</mj-text>
        <mj-text><div style="white-space: pre-line;">{{message}}</div></mj-text>
      </mj-column>
    </mj-section>
    <mj-section padding="20px 36px 32px">
      <mj-column>
        <mj-text align="center" font-size="13px" color="#64748b">You receive this mail because of an event in your account.</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;
}
