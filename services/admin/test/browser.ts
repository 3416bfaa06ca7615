/** For tests: cookies and forms as a browser has them, without scripts. */
export interface TestBrowser {
  cookies: Map<string, string>;
  get(path: string): Promise<Response>;
  text(path: string): Promise<string>;
  /** Reads the page first, for the token of its forms; `from` unless the page is that of the action. */
  post(path: string, fields?: Fields, options?: { from?: string }): Promise<Response>;
  /** The page that an answer leads to, where it is a redirect. */
  page(answer: Response): Promise<string>;
  /** The request as given: no token, no reading before. */
  raw(path: string, init: RequestInit): Promise<Response>;
  join(path: string, person: { email: string; name: string }): Promise<void>;
  /** The token that the forms of a page carry. */
  token(path: string): Promise<string>;
}

export type Fields = Record<string, string | string[]>;

export function createBrowser(url: string): TestBrowser {
  const cookies = new Map<string, string>();
  const raw = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (cookies.size > 0 && !headers.has("cookie")) {
      headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    const response = await fetch(url + path, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const browser: TestBrowser = {
    cookies,
    raw,
    get: (path) => raw(path, {}),
    text: async (path) => await (await raw(path, {})).text(),
    async page(answer) {
      const to = answer.headers.get("location");
      return to === null ? await answer.text() : await browser.text(to);
    },
    async token(path) {
      const html = await browser.text(path);
      return /name="_token" value="([^"]+)"/.exec(html)?.[1] ?? "";
    },
    async post(path, fields = {}, options = {}) {
      const body = new URLSearchParams({ _token: await browser.token(options.from ?? "/account") });
      for (const [name, value] of Object.entries(fields)) {
        for (const one of [value].flat()) body.append(name, one);
      }
      return await raw(path, { method: "POST", body });
    },
    async join(path, { email, name }) {
      const fields = { email, name, password: PASSWORD, repeated: PASSWORD };
      const response = await browser.post(path, fields, { from: path });
      if (response.status !== 303)
        throw new Error(`joining: ${response.status} ${await response.text()}`);
    },
  };
  return browser;
}

export const PASSWORD = "correct horse battery";
