"use strict";

// Long names break where a reader would break them: "app.sessions[*].user" before ".user" and
// before "[*]", and a long name without such a place between its words: "TorchInGraphFunction"
// before "Function". What still does not fit breaks anywhere, by the style sheet.
const breaks = {
  // Shorter texts fit into any column.
  LONG: 12,

  // Shorter names break nowhere else.
  LONG_NAME: 16,

  // No text of a page has a NUL.
  parts(text) {
    const words = (name) => name.replace(/\p{Ll}(?=\p{Lu})|[^_]_(?=[^_])/gu, "$&\0");
    return text.replace(/[\w\])*'…](?=\.[\p{L}_]|\[[\w*'…])/gu, "$&\0")
      .replace(/[\p{L}\p{N}_]+/gu, (name) => name.length > this.LONG_NAME ? words(name) : name)
      .split("\0");
  },

  // Marks these places in all texts of an element. Whoever copies a text gets it without marks.
  mark(element) {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const long = [];
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (text.data.length > this.LONG && !text.parentNode.closest("pre, svg, button, select"))
        long.push(text);
    }
    for (const text of long) this.markText(text);
  },

  markText(text) {
    const parts = this.parts(text.data);
    if (parts.length < 2) return;
    text.replaceWith(...parts.flatMap((part, i) =>
      i > 0 ? [document.createElement("wbr"), part] : [part]));
  },
};
