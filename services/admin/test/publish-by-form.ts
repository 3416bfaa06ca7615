import assert from "node:assert/strict";
import type { Fields, TestBrowser } from "./browser.ts";

/** For tests: a template of these fields, published by forms alone; returns the address of its editor. */
export async function publishByForm(
  browser: TestBrowser,
  base: string,
  fields: Fields & { eventType: string; channel: string },
): Promise<string> {
  const { eventType, channel } = fields;
  const made = await browser.post(`${base}/templates`, { eventType, channel });
  assert.equal(made.status, 303, await made.clone().text());
  const path = made.headers.get("location")?.split("?")[0] ?? "";
  await publishAgain(browser, path, fields);
  return path;
}

/** Writes other text into it, and publishes that. */
export async function publishAgain(browser: TestBrowser, path: string, fields: Fields) {
  const saved = await saveDraftByForm(browser, path, fields);
  assert.equal(saved.status, 303, await saved.clone().text());
  const published = await publishDraftByForm(browser, path);
  assert.equal(published.status, 303, await published.clone().text());
}

/** Saves a draft as the page's form does, with the revision and the version that the page shows. */
export async function saveDraftByForm(browser: TestBrowser, path: string, fields: Fields) {
  return await browser.post(path, { ...hiddenFields(await browser.text(path)), ...fields });
}

/** Every language that has a draft. */
export async function publishDraftByForm(browser: TestBrowser, path: string): Promise<Response> {
  const html = await browser.text(`${path}/publish`);
  const locales = [...html.matchAll(/name="locale" value="([^"]*)"/g)].map(([, one = ""]) => one);
  return await browser.post(`${path}/publish`, { ...hiddenFields(html), locale: locales });
}

export function hiddenFields(html: string): Record<string, string> {
  const found = html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g);
  const fields = Object.fromEntries([...found].map(([, name = "", value = ""]) => [name, value]));
  delete fields._token;
  return fields;
}
