import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const { BELFRY_URL, BELFRY_WS_URL, BELFRY_API_KEY, PORT = "8080" } = process.env;

createServer(async (request, response) => {
  try {
    if (request.method === "POST" && request.url === "/realtime-token") {
      // In earnest: the user of the session, never one that the page names.
      const userId = "user-1";
      const answer = await fetch(`${BELFRY_URL}/api/v1/auth/realtime-token`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": BELFRY_API_KEY },
        body: JSON.stringify({ userId }),
        signal: AbortSignal.timeout(10_000),
      });
      if (!answer.ok) throw new Error(`Belfry answered ${answer.status}`);
      const { token, channels } = await answer.json();
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ token, channels, url: BELFRY_WS_URL }));
    } else {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(await readFile(new URL("page.html", import.meta.url)));
    }
  } catch (error) {
    console.error(error);
    response.statusCode = 502;
    response.end();
  }
}).listen(Number(PORT), "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}`));
