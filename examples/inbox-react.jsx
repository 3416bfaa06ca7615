import "@belfry/inbox";
import { useState } from "react";

/** The bell of your header. Another user is another element: that is what `key` is for. */
export function Inbox({ user, wsUrl, getToken, navigate }) {
  const [unread, setUnread] = useState(0);
  return (
    <>
      <title>{unread === 0 ? "Shop" : `(${unread}) Shop`}</title>
      <belfry-inbox
        key={user.id}
        ws-url={wsUrl}
        getToken={() => getToken(user)}
        noPreferences={user.isGuest}
        labels={{ title: "Your messages" }}
        onunreadchange={(event) => setUnread(event.detail.unread)}
        onnotificationclick={(event) => {
          if (!event.detail.url?.startsWith("/")) return;
          event.preventDefault();
          navigate(event.detail.url);
        }}
      />
    </>
  );
}
