/**
 * The language that an element's page is written in, across shadow roots; where it says none, those that its
 * reader wants.
 * @param {Element} element
 * @returns {readonly string[]}
 */
export function pageLanguages(element) {
  for (let at = element; at != null; at = at.getRootNode().host) {
    const said = at.closest("[lang]")?.lang;
    if (said && isLanguage(said)) return [said];
  }
  return navigator.languages;
}

function isLanguage(tag) {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
