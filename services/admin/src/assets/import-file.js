/**
 * The page of imports. Sends a chosen file in parts, so that neither the browser nor the server holds all of it, and
 * then opens the import's page. Without a file, the form is sent as usual, with the lines in its field.
 */

/** Length of a part. A form may have one megabyte, and encodes each character in at most nine bytes. */
const PART_CHARACTERS = 90_000;
const byId = (id) => document.getElementById(id);
const form = byId("import-form");
const format = new Intl.NumberFormat(document.documentElement.lang, { style: "percent" });

class NoText extends Error {}

/** Yields the file's text in parts; `more` is false for the last one. Throws `NoText` if the bytes are not text. */
async function* partsOf(file) {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isWide = head[0] === 0xff && head[1] === 0xfe;
  const decoder = new TextDecoder(isWide ? "utf-16le" : "utf-8", { fatal: true });
  const reader = file.stream().getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    try {
      held += done ? decoder.decode() : decoder.decode(value, { stream: true });
    } catch {
      throw new NoText();
    }
    while (held.length > PART_CHARACTERS) {
      // A form cannot send half of a surrogate pair.
      const isHalf = /[\ud800-\udbff]/.test(held[PART_CHARACTERS - 1]);
      const end = PART_CHARACTERS - (isHalf ? 1 : 0);
      yield { text: held.slice(0, end), more: true };
      held = held.slice(end);
    }
    if (done) break;
  }
  yield { text: held, more: false };
}

if (form !== null) {
  const [file, state, bar, faulty] = ["file", "import-state", "import-bar", "import-faults"].map(
    byId,
  );
  byId("file-field").hidden = false;

  /** Resolves with the import's id, or undefined if the file is refused. */
  const send = async (path, fields) => {
    const body = new URLSearchParams(fields);
    const accept = { accept: "application/json" };
    const answer = await fetch(path, { method: "POST", body, headers: accept, redirect: "manual" });
    if (answer.ok) return (await answer.json()).id;
    if (answer.status !== 422) throw new Error(String(answer.status));
    faulty.textContent = (await answer.json()).refused;
    faulty.hidden = false;
    return undefined;
  };

  form.addEventListener("submit", async (event) => {
    const [chosen] = file.files;
    if (chosen === undefined) return;
    event.preventDefault();
    const button = form.querySelector("button[type=submit]");
    const { _token, kind, topic } = Object.fromEntries(new FormData(form));
    let [id, number, sent] = [undefined, 0, 0];
    button.disabled = true;
    faulty.hidden = true;
    bar.hidden = false;
    state.textContent = "Uploading …";
    try {
      for await (const { text, more } of partsOf(chosen)) {
        number += 1;
        const fields = { _token, kind, topic, number, part: text, ...(more && { more: "on" }) };
        id = await send(id === undefined ? form.action : `${form.action}/${id}/parts`, fields);
        if (id === undefined) {
          state.textContent = "";
          return;
        }
        sent += new Blob([text]).size;
        bar.value = Math.min(1, sent / chosen.size);
        state.textContent = `Uploaded: ${format.format(bar.value)}`;
      }
      location.assign(`${form.action}/${id}`);
    } catch (error) {
      state.textContent =
        error instanceof NoText
          ? "The file must be UTF-8. Nothing is imported."
          : "The upload stopped: the server could not be reached, or you are signed out. Nothing is imported. Try again.";
      // Cancels the import, so that nothing of an incomplete file is written.
      if (id !== undefined) await send(`${form.action}/${id}/cancel`, { _token }).catch(() => {});
    } finally {
      button.disabled = false;
      bar.hidden = true;
    }
  });
}
