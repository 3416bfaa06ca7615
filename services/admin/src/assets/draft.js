/** Saves what is typed as a draft and shows the state. Asks before the page is left only if it cannot save in time. */

const SAVE_AFTER_MS = 700;
const AGAIN_AFTER_MS = 5000;
/** Maximum length of a request in characters that is sent while the page is left. Browsers send no more (64 KiB). */
const MOST_KEPT_ALIVE = 60_000;

const time = new Intl.DateTimeFormat(document.documentElement.lang, {
  hour: "2-digit",
  minute: "2-digit",
});

/**
 * `state` is the element that shows the state. `onSaved` gets the server's answer, `{id, revision}`. The first content
 * of the form counts as saved, except with `isHeld`: then the page shows two conflicting texts, and nothing is saved
 * until the person submits one.
 */
export function createDraft({ form, state, isHeld, onSaved, onConflict }) {
  const bodyOf = () => new URLSearchParams(new FormData(form));
  /** Returns the fields to compare as a string: without the token, the recipient of a test and the revision. */
  const keptOf = (body) => {
    const kept = new URLSearchParams(body);
    for (const name of ["_token", "to", "revision"]) kept.delete(name);
    return String(kept);
  };
  let saved = isHeld ? undefined : keptOf(bodyOf());
  let isWaiting = isHeld;
  let timer;
  let underWay;
  let hasFailed = false;
  let isStopped = false;

  const isDirty = () => !isStopped && keptOf(bodyOf()) !== saved;
  const tell = (text, tone = "") => {
    state.textContent = text;
    state.dataset.tone = tone;
  };
  const later = (ms = SAVE_AFTER_MS) => {
    clearTimeout(timer);
    timer = setTimeout(flush, ms);
  };

  const save = async () => {
    const body = bodyOf();
    tell("Saving …");
    try {
      const headers = { accept: "application/json" };
      const answer = await fetch(form.dataset.draft, { method: "POST", body, headers });
      const told = answer.headers.get("content-type")?.includes("json") ? await answer.json() : {};
      hasFailed = !answer.ok;
      if (answer.ok) {
        saved = keptOf(body);
        onSaved(told);
        tell(
          `Draft saved at ${time.format(new Date())}. Nothing changes until you publish.`,
          "good",
        );
      } else if (answer.status === 409) {
        isStopped = true;
        tell("Not saved: somebody else changed this draft.", "bad");
        onConflict(told);
      } else if (answer.status === 422) {
        tell(`Not saved yet: ${told.text}`, "busy");
      } else {
        tell("Not saved: you are signed out, or may not edit. Keep this page open.", "bad");
      }
    } catch {
      hasFailed = true;
      tell("Not saved: no connection. Trying again.", "bad");
      later(AGAIN_AFTER_MS);
    }
  };

  /** Saves unsaved changes now. Resolves with whether all changes are saved. */
  const flush = async () => {
    isWaiting = false;
    clearTimeout(timer);
    await underWay;
    if (isDirty()) {
      underWay = save();
      await underWay;
      underWay = undefined;
      if (isDirty() && !hasFailed) later();
    }
    return !isDirty();
  };

  addEventListener("beforeunload", (event) => {
    if (!isDirty()) return;
    if (hasFailed || isWaiting || String(bodyOf()).length > MOST_KEPT_ALIVE) event.preventDefault();
  });
  // Saves unsaved changes while the page is left. The browser sends the request afterwards (`keepalive`).
  addEventListener("pagehide", () => {
    if (!isDirty() || underWay !== undefined || hasFailed || isWaiting) return;
    const body = bodyOf();
    saved = keptOf(body);
    const headers = { accept: "application/json" };
    fetch(form.dataset.draft, { method: "POST", body, headers, keepalive: true }).catch(() => {});
  });
  // Saves the typed text before another page of ours opens, so that the page shows it.
  document.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[href]");
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!link || link.target || !isPlain || isWaiting || !isDirty()) return;
    event.preventDefault();
    await flush();
    location.assign(link.href);
  });

  return {
    changed() {
      if (isStopped || isWaiting || !isDirty()) return;
      tell("Not saved yet …");
      later();
    },
    flush,
    /** Stops saving: from now on only the form itself is sent. */
    stop() {
      clearTimeout(timer);
      isStopped = true;
    },
    isStopped: () => isStopped,
  };
}
