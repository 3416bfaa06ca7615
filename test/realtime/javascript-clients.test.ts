import { type ClientKind, testClient } from "../clients/client-promises.ts";
import type { ClientEvent, StartClient } from "../clients/programs.ts";
import { LIBRARIES, client as newClient, readData } from "./clients.ts";

/** The JavaScript client in this process, as the programs of `test/clients` are in theirs. */
function startIn(Library: (typeof LIBRARIES)[number]["Library"]): StartClient {
  return async (t, { url, protocol, token, channels }) => {
    const events: ClientEvent[] = [];
    const tokens: ((token: string) => void)[] = [];
    const page = newClient(t, url, { token, getToken: askToken }, Library);
    function askToken(): Promise<string> {
      events.push({ event: "token" });
      return new Promise((resolve) => tokens.push(resolve));
    }
    page.on("connected", ({ client }) => events.push({ event: "connected", client }));
    page.on("connecting", ({ code }) => events.push({ event: "connecting", code }));
    page.on("disconnected", ({ code, reason }) =>
      events.push({ event: "disconnected", code, reason }),
    );
    page.on("message", ({ data }) => events.push({ event: "message", data: readData(data) }));
    for (const channel of channels) {
      const subscription = page.newSubscription(channel);
      subscription.on("error", () => undefined);
      subscription.on("subscribed", ({ wasRecovering, recovered }) =>
        events.push({ event: "subscribed", channel, wasRecovering, recovered }),
      );
      subscription.on("unsubscribed", ({ code }) =>
        events.push({ event: "unsubscribed", channel, code }),
      );
      subscription.on("publication", ({ offset = 0, data, tags = {} }) =>
        events.push({ event: "publication", channel, offset, data: readData(data), tags }),
      );
      subscription.subscribe();
    }
    page.connect();
    return {
      events,
      giveToken: (fresh) => tokens.shift()?.(fresh),
      async call(method, data) {
        const sent =
          protocol === "protobuf" ? new TextEncoder().encode(JSON.stringify(data)) : data;
        return await page.rpc(method, sent).then(
          (answer) => ({ data: readData(answer.data) }),
          ({ code, message }) => ({ code, message }),
        );
      },
    };
  };
}

for (const { version, Library } of LIBRARIES) {
  if (!version.startsWith("5.8.0")) continue;
  const kind: Omit<ClientKind, "protocol"> = {
    name: `JavaScript ${version}`,
    hasMessages: true,
    start: startIn(Library),
  };
  testClient({ ...kind, protocol: version.endsWith("Protobuf") ? "protobuf" : "json" });
}
