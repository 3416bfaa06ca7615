/** The addresses of one template's pages, in a language. */
export function addressesOf(base: string, id: string, locale: string) {
  const plain = `${base}/templates/${id}`;
  const query = locale === "" ? "" : `?locale=${encodeURIComponent(locale)}`;
  return {
    plain,
    editor: plain + query,
    draft: `${plain}/draft`,
    discard: `${plain}/discard`,
    sample: `${plain}/sample`,
    same: `${plain}/same`,
    removeLanguage: `${plain}/remove-language`,
    publish: `${plain}/publish`,
    versions: `${plain}/versions${query}`,
    copy: `${plain}/copy`,
  };
}
