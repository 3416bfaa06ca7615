/**
 * Changes many things with one request per batch, and shows the progress. If the person leaves the page, the change
 * stops after the current batch. The URL gets the fields of the form, so that they can come back and continue.
 */

const form = document.querySelector("form[data-batches]");
const state = document.getElementById("batch-state");
const bar = document.querySelector("progress");
const format = new Intl.NumberFormat(document.documentElement.lang);

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { done, after, verb } = form.dataset;
  const button = form.querySelector("button");
  const body = new URLSearchParams(new FormData(form));
  const of = Number(body.get("of"));
  const place = new URLSearchParams(body);
  place.delete("_token");
  history.replaceState(null, "", `?${place}`);
  button.disabled = true;
  const tell = () => {
    state.textContent = `${format.format(bar.value)} of ${format.format(of)} are ${done} …`;
  };
  tell();
  try {
    for (let more = true; more; ) {
      const answer = await fetch(form.action, {
        method: "POST",
        body,
        headers: { accept: "application/json" },
        redirect: "manual",
      });
      if (!answer.ok) throw new Error(String(answer.status));
      const result = await answer.json();
      bar.value += result.count;
      more = result.more;
      tell();
    }
    location.assign(after);
  } catch {
    state.textContent = `It stopped at ${format.format(bar.value)} of ${format.format(of)}: the server could not be reached, or you are signed out. What is ${done} stays so; go on when you like.`;
    button.textContent = `${verb} the rest`;
    button.disabled = false;
  }
});
