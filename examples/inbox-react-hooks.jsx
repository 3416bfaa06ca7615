import { useInbox, useInboxFeed, usePreferences, useUnreadCount } from "@belfry/inbox/react";

/** An inbox of your own. All hooks of this feed share one connection; another user is another feed. */
export function Inbox({ user, wsUrl, getToken }) {
  const feed = useInboxFeed({ wsUrl, getToken: () => getToken(user) }, user.id);
  return (
    <section>
      <Count feed={feed} />
      <List feed={feed} />
      <Preferences feed={feed} />
    </section>
  );
}

function Count({ feed }) {
  return <h2>{useUnreadCount(feed)} unread</h2>;
}

function List({ feed }) {
  const { items, isLoaded, hasMore, view, show, markRead, markAllRead, change, remove, loadMore } =
    useInbox(feed);
  const isArchive = view.view === "archived";
  return (
    <>
      <button type="button" onClick={() => show({ view: isArchive ? "inbox" : "archived" })}>
        {isArchive ? "Inbox" : "Archive"}
      </button>
      <button type="button" onClick={markAllRead}>
        Mark all read
      </button>
      {isLoaded ? (
        <ul>
          {items.map(({ id, title, read }) => (
            <li key={id} className={read ? "read" : "unread"}>
              <button type="button" onClick={() => markRead(id)}>
                {title}
              </button>
              <button type="button" onClick={() => change(id, { archived: !isArchive })}>
                Move
              </button>
              <button type="button" onClick={() => remove(id)}>
                Delete
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <p>Loading…</p>
      )}
      {hasMore && (
        <button type="button" onClick={loadMore}>
          Earlier
        </button>
      )}
    </>
  );
}

function Preferences({ feed }) {
  const { preferences, rows, problem, set } = usePreferences(feed);
  const labelOf = (row) => preferences.categories.find(({ key }) => key === row.key)?.label[""];
  return (
    <form>
      {rows.map((row) => (
        <fieldset key={row.key} disabled={row.required}>
          <legend>{labelOf(row) ?? "All messages"}</legend>
          {[...row.on].map(([channel, isOn]) => (
            <label key={channel}>
              <input
                type="checkbox"
                checked={isOn}
                onChange={({ target }) => set(row.key, channel, target.checked)}
              />
              {channel}
            </label>
          ))}
        </fieldset>
      ))}
      {problem === "notSaved" && <p role="alert">That was not saved.</p>}
      {problem === "notRead" && <p role="alert">The preferences could not be read.</p>}
    </form>
  );
}
