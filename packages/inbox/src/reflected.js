/** Attributes without a value, by property. */
const FLAGS = {
  inline: "inline",
  silent: "silent",
  noPreferences: "no-preferences",
  showTypes: "show-types",
};
const TEXTS = { wsUrl: "ws-url", tokenUrl: "token-url", align: "align", theme: "theme" };

/** Attributes that are also properties, because a framework sets a property if there is one. */
export const REFLECTED = [...Object.keys(FLAGS), ...Object.keys(TEXTS)];

/**
 * Gives an element's prototype these properties.
 * @param {HTMLElement} prototype
 */
export function reflect(prototype) {
  const define = (name, get, set) =>
    Object.defineProperty(prototype, name, { configurable: true, enumerable: true, get, set });
  for (const [name, attribute] of Object.entries(FLAGS)) {
    define(
      name,
      function get() {
        return this.hasAttribute(attribute);
      },
      function set(value) {
        this.toggleAttribute(attribute, Boolean(value));
      },
    );
  }
  for (const [name, attribute] of Object.entries(TEXTS)) {
    define(
      name,
      function get() {
        return this.getAttribute(attribute) ?? "";
      },
      function set(value) {
        if (value == null || value === "") this.removeAttribute(attribute);
        else this.setAttribute(attribute, value);
      },
    );
  }
}
