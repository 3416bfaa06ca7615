/** Makes an element with these properties, such as `className` and `onclick`, and these children. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Makes a button that sends no form. */
export function makeButton(textContent, onclick, className = "plain small") {
  return element("button", { type: "button", textContent, className, onclick });
}
