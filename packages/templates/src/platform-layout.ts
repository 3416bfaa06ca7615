/** The layout for tenants without their own: with their logo and colours, one column, in light and dark mode. */

import { textOn, withContrast } from "./colors.ts";
import { type Layout, PLATFORM_COLORS } from "./source.ts";
import type { UnsubscribeWords } from "./unsubscribe-words.ts";

/** System fonts, so that mail programs load nothing. */
const FONTS = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
const CARD = "#ffffff";
const MUTED = "#656d76";
const DARK = {
  page: "#0f1114",
  card: "#1a1d21",
  text: "#e6e8eb",
  muted: "#a3a9b1",
  line: "#373c42",
};

/** Returns the colours of links and buttons on the card, in light mode and in dark mode. */
export function linkColors(primaryColor: string): { light: string; dark: string } {
  return { light: withContrast(primaryColor, CARD), dark: withContrast(primaryColor, DARK.card) };
}

/**
 * Returns the layout as MJML. Its settings are tags that are filled in later, so that a tenant can also use it as a
 * start. `words` are the texts of the unsubscribe links below the mail; undefined if the mail has its own links.
 */
export function platformLayout(looks: Layout, words: UnsubscribeWords | undefined): string {
  const { primaryColor, backgroundColor } = { ...PLATFORM_COLORS, ...looks };
  const muted = withContrast(MUTED, backgroundColor);
  return `<mjml>
  <mj-head>${looks.brandName ? "\n    <mj-title>{{ $brand_name }}</mj-title>" : ""}
    <mj-raw>
      <meta name="color-scheme" content="light dark" />
      <meta name="supported-color-schemes" content="light dark" />
    </mj-raw>
    <mj-attributes>
      <mj-all font-family="${FONTS}" />
      <mj-text font-size="16px" line-height="24px" color="{{ $text_color }}" padding="0 24px 16px" />
      <mj-table font-size="15px" line-height="22px" color="{{ $text_color }}" padding="4px 24px 20px" />
      <mj-button font-size="16px" line-height="24px" padding="4px 24px 20px" />
      <mj-image padding="4px 24px 20px" />
      <mj-divider padding="8px 24px 24px" />
    </mj-attributes>
    <mj-style>${darkStyle(primaryColor)}</mj-style>
  </mj-head>
  <mj-body background-color="{{ $background_color }}" width="600px" css-class="page">
    <mj-section css-class="brand" padding="${brandPadding(looks)}">
      <mj-column>${brand(looks)}</mj-column>
    </mj-section>
    <mj-wrapper padding="0 12px">
      <mj-section css-class="card" background-color="${CARD}" border-radius="10px" padding="32px 8px 16px">
        <mj-column>
          {{ $content }}
        </mj-column>
      </mj-section>
    </mj-wrapper>
    <mj-section css-class="foot" padding="20px 20px 40px">
      <mj-column>${foot(looks, muted)}${words === undefined ? "" : unsubscribe(words, muted)}</mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;
}

function brandPadding({ logoUrl, brandName }: Layout): string {
  return logoUrl || brandName ? "32px 20px 8px" : "12px";
}

function brand({ logoUrl, brandName, backgroundColor, textColor }: Layout): string {
  if (logoUrl) {
    return `
        <mj-text><img src="{{ $logo_url }}" alt="{{ $brand_name }}" height="36" style="display:block;border:0;height:36px;width:auto;max-width:100%" /></mj-text>
      `;
  }
  if (!brandName) return "";
  const text = textColor ?? PLATFORM_COLORS.textColor;
  const color = withContrast(text, backgroundColor ?? PLATFORM_COLORS.backgroundColor);
  return `
        <mj-text font-size="18px" font-weight="600" color="${color}">{{ $brand_name }}</mj-text>
      `;
}

function foot({ footerText, address }: Layout, color: string): string {
  const texts = [footerText && "{{ $footer_text }}", address && "{{ $address }}"];
  const components = texts.filter(Boolean).map(
    (text) => `
        <mj-text font-size="13px" line-height="20px" color="${color}" padding="0 24px 8px">${text}</mj-text>`,
  );
  return components.length === 0 ? "" : `${components.join("")}\n      `;
}

/** Returns the unsubscribe links. They are rendered only if the reader may turn off the mail's category. */
function unsubscribe(words: UnsubscribeWords, color: string): string {
  const link = (url: string, text: string) =>
    `<a class="link" href="{{ ${url} }}" target="_blank" style="color:inherit;text-decoration:underline">${text}</a>`;
  const links = `${link("$unsubscribe_url", words.unsubscribe)} · ${link("$preferences_url", words.preferences)}`;
  return `{% if $list_unsubscribe_url %}<mj-text font-size="13px" line-height="20px" color="${color}" padding="0 24px 8px">${links}</mj-text>{% endif %}`;
}

/** Styles for mail programs with a dark mode. */
function darkStyle(primaryColor: string): string {
  const link = linkColors(primaryColor).dark;
  const button = withContrast(primaryColor, DARK.card, 3);
  const rules: [string[], string][] = [
    [["body", ".page > div"], `background-color:${DARK.page} !important;`],
    [
      [".card", ".card > table"],
      `background:${DARK.card} !important;background-color:${DARK.card} !important;`,
    ],
    [
      [".card div", ".card table", ".card td", ".card th", ".brand div"],
      `color:${DARK.text} !important;`,
    ],
    [[".foot div"], `color:${DARK.muted} !important;`],
    [[".card th", ".card td", ".card .quote"], `border-color:${DARK.line} !important;`],
    [[".card .divider p", ".card hr"], `border-top-color:${DARK.line} !important;`],
    [[".card a.link"], `color:${link} !important;`],
    [[".foot a.link"], `color:${DARK.muted} !important;`],
    [
      [".card .button table td", ".card .button a"],
      `background:${button} !important;background-color:${button} !important;color:${textOn(button)} !important;`,
    ],
    [[".brand img"], "background:#ffffff;padding:6px 8px;border-radius:6px;"],
  ];
  const written = (before: string) =>
    rules
      .map(
        ([selectors, style]) =>
          `        ${selectors.map((s) => before + s).join(", ")} { ${style} }`,
      )
      .join("\n");
  return `
      :root { color-scheme: light dark; supported-color-schemes: light dark; }
      @media (prefers-color-scheme: dark) {
${written("")}
      }
    `;
}
