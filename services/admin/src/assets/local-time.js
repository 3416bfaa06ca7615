/**
 * A date and time is typed and shown in the reader's own time zone; the form carries the moment, with its offset.
 * Without this script it is typed in UTC, as the label says, and understood so.
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
    // The page's own value, in UTC. A value that a browser restores after a reload is local already.
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
