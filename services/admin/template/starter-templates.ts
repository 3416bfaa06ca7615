import type { Content } from "@belfry/contracts/channels";

/** What a new template begins with: enough to see how it is done. */
export const STARTERS: Readonly<
  Record<Content, { subject: string; title: string; content: string; sampleVariables: string }>
> = {
  email: {
    subject: "Hello {{ name }}",
    title: "",
    content: `<mjml>
  <mj-body background-color="#f4f4f2">
    <mj-section background-color="#ffffff" padding="32px">
      <mj-column>
        <mj-text font-size="22px" font-weight="600">Hello {{ name }}</mj-text>
        <mj-text font-size="16px" line-height="1.5">
          Write here what happened, in a sentence or two.
        </mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`,
    sampleVariables: '{\n  "name": "Ada"\n}',
  },
  text: {
    subject: "",
    title: "",
    content: "Hello {{ name }}, something happened.",
    sampleVariables: '{\n  "name": "Ada"\n}',
  },
  notification: {
    subject: "",
    title: "Hello {{ name }}",
    content: "Something happened.",
    sampleVariables: '{\n  "name": "Ada"\n}',
  },
};
