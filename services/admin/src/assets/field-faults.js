/** Shows faults beside the fields of a form. */

/** `faults` has a sentence for each name of a field with a fault. */
export function showFieldFaults(form, faults = {}) {
  for (const place of form.querySelectorAll("[data-fault-of]")) {
    const { faultOf: name } = place.dataset;
    const fault = faults[name] ?? "";
    if (place.textContent !== fault) place.textContent = fault;
    const input = document.getElementById(name);
    if (fault) input?.setAttribute("aria-invalid", "true");
    else input?.removeAttribute("aria-invalid");
  }
}

/** Sends the form that separates the events of a digest without leaving the page, where a person may be typing. */
export function wireDigestLoss() {
  const form = document.getElementById("digest-loss-form");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = await fetch(form.action, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
    });
    const note = document.getElementById("digest-loss");
    if (!answer.ok) return;
    note.classList.remove("busy");
    note.textContent =
      "Saved. Within 5 seconds, events with different variables are separate events.";
  });
}
