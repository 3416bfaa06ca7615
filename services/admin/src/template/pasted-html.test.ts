import assert from "node:assert/strict";
import { test } from "node:test";
import { type DefaultTreeAdapterMap, parseFragment } from "parse5";

const assets = new URL("../assets/", import.meta.url);
const { readPasted } = await import(`${assets}pasted-html.js`);
const { readDocument } = await import(`${assets}visual-document.js`);
const { writeDocument } = await import(`${assets}visual-text.js`);
const { schema } = await import(`${assets}visual-schema.js`);

/** The HTML that a program puts on the clipboard, shortened, and the text that it becomes. */
interface Pasted {
  program: string;
  html: string;
  text: string;
  dropped?: string[];
}

const DOCS_SPAN = "font-size:11pt;font-family:Arial,sans-serif;color:#000000;white-space:pre-wrap;";
const docs = (words: string, weight = 400, more = "font-style:normal;text-decoration:none;") =>
  `<span style="${DOCS_SPAN}font-weight:${weight};${more}">${words}</span>`;
const word = (level: number, marker: string, words: string) =>
  `<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level${level} lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>${words}<o:p></o:p></p>\r\n`;

const PASTED: Pasted[] = [
  {
    program: "Google Docs: bold and italic by style, in a b that is not bold",
    html: `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr" style="line-height:1.38;">${docs("Plain ")}${docs("bold", 700)}${docs(" and ")}${docs("slanted", 400, "font-style:italic;")}${docs(" ")}${docs("gone", 400, "text-decoration:line-through;")}</p><br /><h1 dir="ltr">${docs("Title")}</h1><h2 dir="ltr">${docs("Part", 700)}</h2><p dir="ltr"><a href="https://example.com/a" style="text-decoration:none;"><span style="text-decoration:underline;color:#1155cc">A link</span></a>${docs(" behind")}</p></b><br class="Apple-interchange-newline">`,
    text: "Plain **bold** and *slanted* ~~gone~~\n\n# Title\n\n## Part\n\n[A link](https://example.com/a) behind\n",
    dropped: ["styles"],
  },
  {
    program: "Google Docs: nested lists, and one that begins at 3",
    html: `<b style="font-weight:normal;" id="docs-internal-guid-2"><ul style="margin-top:0;"><li dir="ltr" style="list-style-type:disc;" aria-level="1"><p dir="ltr" role="presentation">${docs("One")}</p></li><ul><li dir="ltr" aria-level="2"><p dir="ltr" role="presentation">${docs("Inner", 700)}</p></li></ul><li dir="ltr" aria-level="1"><p dir="ltr">${docs("Two")}</p></li></ul><ol style="margin-top:0;" start="3"><li dir="ltr" aria-level="1"><p dir="ltr">${docs("Three")}</p></li><li><p>${docs("Four")}</p></li></ol></b>`,
    text: "- One\n  - **Inner**\n- Two\n\n3. Three\n4. Four\n",
    dropped: ["styles"],
  },
  {
    program: "Google Docs: a table and an image",
    html: `<b style="font-weight:normal;"><div dir="ltr" align="left"><table style="border:none;"><colgroup><col width="312" /><col width="312" /></colgroup><tbody><tr style="height:0pt"><td style="border:solid #000000 1pt;"><p dir="ltr">${docs("A", 700)}</p></td><td><p dir="ltr">${docs("B")}</p></td></tr><tr><td><p dir="ltr">${docs("1 | 2")}</p></td><td><p dir="ltr">${docs("{{ name | upcase }}", 700)}</p></td></tr></tbody></table></div><p dir="ltr"><span><img src="https://lh7-us.googleusercontent.com/x" width="624" /></span></p></b>`,
    text: "| A | B |\n| --- | --- |\n| 1 \\| 2 | **{{ name | upcase }}** |\n",
    dropped: ["styles", "images"],
  },
  {
    program: "Word: lists of paragraphs, bold, a heading, a tag that the spelling check has cut",
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta name=Generator content="Microsoft Word 15"><!--[if gte mso 9]><xml><w:WordDocument></w:WordDocument></xml><![endif]--><style><!-- p.MsoNormal, li.MsoNormal {margin:0cm; font-size:12.0pt;} --></style></head><body lang=EN-GB style='tab-interval:36.0pt'><!--StartFragment--><h1>Steps<o:p></o:p></h1>\r\n<p class=MsoNormal>Dear {{ <span class=SpellE>name</span> }},\r\nthis is <b style='mso-bidi-font-weight:normal'>bold</b> and <i>slanted</i>.<o:p></o:p></p>\r\n<p class=MsoNormal><o:p>&nbsp;</o:p></p>\r\n${word(1, "·", "First")}${word(2, "o", "Inner")}${word(1, "·", "Second")}<p class=MsoNormal>Then</p>${word(1, "3.", "Third")}${word(1, "4.", "Fourth")}<p class=MsoNormal><!--[if gte vml 1]><v:shape></v:shape><![endif]--><![if !vml]><img width=10 src="file:///C:/Users/a/clip_image001.png" v:shapes="P_1"><![endif]></p><!--EndFragment--></body></html>`,
    text: "# Steps\n\nDear {{ name }}, this is **bold** and *slanted*.\n\n- First\n  - Inner\n- Second\n\nThen\n\n3. Third\n4. Fourth\n",
    dropped: ["styles", "images"],
  },
  {
    program: "Word on the web: each item is a list of its own",
    html: `<div class="OutlineElement Ltr"><p class="Paragraph" style="font-weight:normal"><span class="TextRun" style="font-weight:bold"><span class="NormalTextRun">Bold</span></span><span class="EOP">&nbsp;</span></p></div><div class="ListContainerWrapper"><ul class="BulletListStyle1" role="list"><li data-leveltext="•" data-aria-posinset="1" data-aria-level="1" role="listitem"><p class="Paragraph"><span>One</span><span class="EOP">&nbsp;</span></p></li></ul></div><div class="ListContainerWrapper"><ul role="list"><li data-aria-level="2" role="listitem"><p><span>Inner</span></p></li></ul></div><div class="ListContainerWrapper"><ol role="list" start="1"><li data-aria-level="1"><p>A</p></li></ol></div><div><ol start="2"><li data-aria-level="1"><p>B</p></li></ol></div>`,
    text: "**Bold**\n\n- One\n  - Inner\n\n1. A\n2. B\n",
    dropped: [],
  },
  {
    program: "Outlook: bold and underlined words, a link to a file, a signature in a table",
    html: `<html><body><!--StartFragment--><p class=MsoNormal style='margin:0cm'><span style='font-size:11.0pt;font-family:"Calibri",sans-serif'>Hi <b>Anna</b>, see <u>this</u> <a href="file:///C:/a.docx">file</a>, <a href="#_Toc1">above</a> or <a href="mailto:a@example.com">me</a>.<o:p></o:p></span></p><table class=MsoNormalTable role=presentation><tr><td><p class=MsoNormal>Anna</p></td><td><p class=MsoNormal>Acme</p></td></tr></table><!--EndFragment--></body></html>`,
    text: "Hi **Anna**, see this file, above or [me](mailto:a@example.com).\n\nAnna\n\nAcme\n",
    dropped: ["styles", "underlines", "links"],
  },
  {
    program: "Gmail: lines of div, a quotation, an indentation",
    html: `<div dir="ltr">Hello<div><br></div><div>One <b>two</b><br>three<br><br>four</div><div style="color:rgb(255,0,0)">red</div></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"><div>quoted</div><ul><li>item</li></ul></blockquote><blockquote style="margin:0 0 0 40px;border:none;padding:0px"><div>indented</div></blockquote>`,
    text: "Hello\n\nOne **two**\nthree\n\nfour\n\nred\n\n> quoted\n\n- item\n\nindented\n",
    dropped: ["styles"],
  },
  {
    program: "Sheets: cells with their sides, one over two columns",
    html: `<meta charset="utf-8"/><google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}br {mso-data-placement:same-cell;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" dir="ltr" data-sheets-root="1"><colgroup><col width="100"/><col width="100"/></colgroup><tbody><tr><td style="font-weight:bold;">Item</td><td style="font-weight:bold;text-align:right;">Price</td></tr><tr><td style="font-style:italic;">Book</td><td data-sheets-value="{}" style="text-align:right;">12.5</td></tr><tr><td colspan="2" rowspan="1">Both</td></tr></tbody></table></google-sheets-html-origin>`,
    text: "| Item | Price |\n| --- | ---: |\n| *Book* | 12.5 |\n| Both |  |\n",
    dropped: [],
  },
  {
    program: "Excel: bold by a class of its style sheet, a line break in a cell",
    html: `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style>\n<!--table\n\t{mso-displayed-decimal-separator:"\\.";}\n.xl65\n\t{font-weight:700;}\n--></style></head><body link=blue><table border=0 cellpadding=0 width=128 style='border-collapse:collapse'><!--StartFragment--><col width=64 span=2><tr height=20><td height=20 class=xl65>A</td><td>B</td></tr><tr><td class=xl65>one<br>two</td><td align=right>1</td></tr><tr><td></td><td></td></tr><!--EndFragment--></table></body></html>`,
    text: "| A | B |\n| --- | ---: |\n| **one** **two** | 1 |\n",
    dropped: [],
  },
  {
    program: "Excel: cells that span rows",
    html: "<table><tr><td>A</td><td>B</td></tr><tr><td rowspan=2>x</td><td>1</td></tr><tr><td>2</td></tr></table>",
    text: "| A | B |\n| --- | --- |\n| x | 1 |\n|  | 2 |\n",
    dropped: [],
  },
  {
    program: "Notion: headings, lists, code, a quotation, a line",
    html: `<meta charset='utf-8'><h1>Title</h1>\n<h3>Part</h3><p>Some <strong>bold</strong>, <em>slanted</em>, <del>gone</del> and <code>code</code> words</p>\n<ul>\n<li>One\n<ul>\n<li>Inner</li>\n</ul>\n</li>\n<li>Two</li>\n</ul>\n<ol start="12">\n<li>Twelve</li>\n<li>Thirteen</li>\n</ol>\n<blockquote>\n<p>Said</p>\n</blockquote>\n<hr>\n<pre><code>a\nb</code></pre><p><a href="https://example.com">alone</a></p><!-- notionvc: 0b1 -->`,
    text: "# Title\n\n### Part\n\nSome **bold**, *slanted*, ~~gone~~ and `code` words\n\n- One\n  - Inner\n- Two\n\n12. Twelve\n13. Thirteen\n\n> Said\n\n---\n\n`a`\n`b`\n\n[alone](https://example.com)\n",
    dropped: [],
  },
  {
    program: "A page: what runs or leads elsewhere is left out, signs of Markdown stay signs",
    html: `<p onclick="alert(1)">a<script>alert(1)</script><style>p{}</style> *b* <a href="javascript:alert(1)">c</a> <a href=" JaVaScRiPt:x">d</a> <a href="data:text/html,x">e</a></p><p># f</p><iframe src="//x"></iframe><input value=g><svg><title>h</title></svg><p style="display:none">i</p>`,
    text: "a \\*b\\* c d e\n\n\\# f\n",
    dropped: ["links", "media", "fields", "images"],
  },
];

for (const { program, html, text, dropped } of PASTED) {
  test(`what is pasted becomes the text of a mail. ${program}`, () => {
    const { slice, dropped: left } = readPasted(domOf(html));
    const doc = schema.node("doc", {}, slice.content);
    doc.check();
    assert.equal(writeDocument(doc).text, text);
    assert.deepEqual(new Set(left), new Set(dropped));
    const { doc: read, reason } = readDocument(text);
    assert.equal(reason, undefined);
    assert.equal(writeDocument(read).text, text);
  });
}

test("a pasted text that no mail can hold is cut, and says so; it is read once, however deep", () => {
  const size = 100_000;
  for (const [begin, part, end] of [
    ["", "<p>abc</p>", ""],
    ["", "<div><ul><li>a", ""],
    ["", "<table><tr><td>a", ""],
    ["", "<b><i>a", ""],
    ["<ul>", "<li>a", "</ul>"],
    ["<ul>", "<ul><li>a</ul>", "</ul>"],
    ["<blockquote>", "<p>a</p><hr>", "</blockquote>"],
    ["<table>", "<tr><td rowspan=1000 colspan=1000>a", "</table>"],
    ["<p>", "a<br>", "</p>"],
    ["<p>", "{{ a", "</p>"],
    ["<p style='", "a:b;", "'>a</p>"],
    ["<style>", ".a{", "</style>a"],
    ["<p>", "<b>{{ a</b> }}", "</p>"],
    ["<p><a href='https://", "{{", "'>a</a></p>"],
  ] as const) {
    const html = begin + part.repeat(size / part.length) + end;
    const started = process.cpuUsage();
    const { slice } = readPasted(domOf(html));
    const { user, system } = process.cpuUsage(started);
    // Minutes where it is not linear.
    assert.ok(user + system < 20_000_000, part);
    schema
      .node("doc", {}, slice.content.size > 0 ? slice.content : schema.node("paragraph"))
      .check();
  }
  const long = readPasted(domOf(`<p>${"a".repeat(300_000)}</p><p>b</p>`));
  assert.deepEqual([...long.dropped], ["rest"]);
  assert.equal(long.slice.content.size, 256 * 1024 + 2);
});

type Node5 = DefaultTreeAdapterMap["node"];

/** The part of the DOM that the reader uses, over the tree of the HTML parser. */
class DomNode {
  readonly #node: Node5;

  constructor(node: Node5) {
    this.#node = node;
  }

  get nodeType() {
    const { nodeName } = this.#node;
    return nodeName === "#text" ? 3 : nodeName.startsWith("#") ? 8 : 1;
  }

  get nodeName() {
    return this.#node.nodeName.toUpperCase();
  }

  get nodeValue() {
    return "value" in this.#node ? this.#node.value : null;
  }

  get childNodes(): DomNode[] {
    return "childNodes" in this.#node ? this.#node.childNodes.map((one) => new DomNode(one)) : [];
  }

  get textContent(): string {
    return this.nodeValue ?? this.childNodes.map(({ textContent }) => textContent).join("");
  }

  getAttribute(name: string): string | null {
    const attributes = "attrs" in this.#node ? this.#node.attrs : [];
    return attributes.find((one) => one.name === name)?.value ?? null;
  }
}

function domOf(html: string): DomNode {
  return new DomNode(parseFragment(html));
}
