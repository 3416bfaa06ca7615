/** Keeps what is typed as a draft, and says so; asks before leaving only where that failed. */

const SAVE_AFTER_MS = 700;
const AGAIN_AFTER_MS = 5000;
/** Browsers send no more than this behind a page that is left. */
const MOST_KEPT_ALIVE = 60_000;

const time = new Intl.DateTimeFormat(document.documentElement.lang, {
  hour: "2-digit",
  minute: "2-digit",
});

/**
 * `state` is told in words. `onSaved` is given the server's answer: `{id, revision}`. What the form holds at
 * first counts as saved, but where `isHeld`: there two texts stand beside one another, and nothing is saved
 * before somebody says which.
 */
export function createDraft({ form, state, isHeld, onSaved, onConflict }) {
  const bodyOf = () => new URLSearchParams(new FormData(form));
  /** Returns the part of the form to save: not the sample values' table, the token, or a test's recipient. */
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

  /** Saves now what is not saved; false where it could not be. */
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
