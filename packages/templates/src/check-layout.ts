import type { Layout, LayoutFault } from "./layout.ts";
import { compileMarkdown } from "./mail/compile-markdown.ts";
import { layoutFaults } from "./mail/layout-faults.ts";
import { type CompileSettings, placeFaults } from "./source.ts";

/** All that a mail may be made of. */
const SAMPLE = `preheader: Words

# Heading

Words and [a link](https://example.com).

[Button](https://example.com)

- An item

| Table |
| --- |
| Cell |

> Quotation

---

![Image](https://example.com/image.png)
`;

/** All faults of a layout, found by setting a mail in it that has everything a mail may have. */
export async function checkLayout(
  layout: Layout,
  settings: CompileSettings,
): Promise<LayoutFault[]> {
  const faults = layoutFaults(layout);
  if (faults.length > 0) return faults;
  const made = await compileMarkdown(SAMPLE, [], layout, settings);
  if (made.ok) return [];
  return made.faults.flatMap(({ part, ...fault }) => {
    const field = part === "footer" ? "footerText" : "content";
    return placeFaults<keyof Layout>(field, (part === "mail" ? null : layout[field]) ?? "", [
      fault,
    ]);
  });
}
