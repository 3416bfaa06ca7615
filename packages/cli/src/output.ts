import { once } from "node:events";

/** Prints one JSON value to standard output, and nothing else. */
export async function printJson(value: unknown): Promise<void> {
  await write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints one JSON array, page by page as the pages arrive. */
export async function printJsonPages(pages: AsyncIterable<readonly unknown[]>): Promise<void> {
  let separator = "[\n";
  let any = false;
  for await (const page of pages) {
    const text = page.map((item) => JSON.stringify(item, null, 2)).join(",\n");
    await write(`${separator}${text}`);
    separator = ",\n";
    any = true;
  }
  await write(any ? "\n]\n" : "[]\n");
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
