/**
 * Shows dates and times of forms in the reader's time zone, and sends them as ISO 8601 in UTC. Without this script, a
 * person enters them in UTC, as the label says.
 */

const two = (number) => String(number).padStart(2, "0");

function localValue(at) {
  const day = [
    String(at.getFullYear()).padStart(4, "0"),
    two(at.getMonth() + 1),
    two(at.getDate()),
  ];
  return `${day.join("-")}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

for (const form of document.querySelectorAll("form[data-local-time]")) {
  const inputs = [...form.querySelectorAll("input[type=datetime-local]")];
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const input of inputs) {
    // `defaultValue` is in UTC. `value` may be local already, if the browser has restored it after a reload.
    const at = new Date(`${input.defaultValue}Z`);
    if (!Number.isNaN(at.getTime())) input.value = localValue(at);
    for (const label of input.labels) {
      label.textContent = label.textContent.replace("(UTC)", `(${timeZone})`);
    }
  }
  form.addEventListener("formdata", ({ formData }) => {
    for (const { name, value } of inputs) {
      const at = new Date(value);
      if (!Number.isNaN(at.getTime())) formData.set(name, at.toISOString());
    }
  });
}
