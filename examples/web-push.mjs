import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { BELFRY_URL, BELFRY_API_KEY, PORT = "8080" } = process.env;
createServer(async (request, response) => {
  const [, path = ""] = /^\/devices(\/[\w-]{22})?$/.exec(request.url) ?? [];
  const body = (await text(request)) || null;
  // In earnest: the user of the session, never one that the page names.
  const answer = await fetch(`${BELFRY_URL}/api/v1/users/user-1/devices${path}`, {
    method: request.method,
    headers: { "x-api-key": BELFRY_API_KEY, ...(body && { "content-type": "application/json" }) },
    body,
  });
  response.writeHead(answer.status, { "content-type": "application/json" });
  response.end(await answer.text());
}).listen(Number(PORT), "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}`));
