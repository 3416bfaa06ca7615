import { channelsWith } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { checkLayout } from "@belfry/templates/check-layout";
import { refuseFaults } from "../input-error.ts";
import { compileSettings, placed } from "./compile-source.ts";
import { brandName, compilableLayout } from "./layout-in-force.ts";
import { changedLayout, type LayoutInput, layoutInputFaults } from "./layout-input.ts";
import { NO_LAYOUT } from "./layout-rows.ts";
import { previewSource } from "./preview-template.ts";

const SAMPLE = {
  format: "markdown",
  subject: "Your order",
  content: `preheader: A mail as yours will look

# Thank you, {{ name }}

This is a mail as it looks in your design: a **heading**, a few words, a [link](https://example.com), and a list.

- Notebook, ruled
- Fountain pen, blue

[See your order](https://example.com/orders)

---

Write to us when anything is not as it should be.
`,
} as const;

/** A sample mail in a layout that is not in force. Throws `InvalidInput` with the faults of the layout. */
export async function layoutPreview(db: Database, input: LayoutInput): Promise<{ html: string }> {
  const { tenantId } = input;
  refuseFaults(layoutInputFaults(input));
  const layout = compilableLayout(changedLayout(NO_LAYOUT, input), await brandName(db, tenantId));
  refuseFaults(placed(await checkLayout(layout, await compileSettings(db, tenantId))));
  const [channel] = channelsWith("email");
  if (channel === undefined) throw new Error("no channel sends mails");
  const sample = { channel, ...SAMPLE };
  const shown = await previewSource(db, tenantId, sample, { name: "Ada" }, { version: 0, layout });
  return { html: shown.kind === "email" ? shown.html : "" };
}
