"use strict";

// Trees open in place. A report has all rows of its tree; of other trees, the server sends the
// rows of a level when the reader opens it. Right opens or goes down, left closes or goes up, as
// in other trees.
const trees = {
  // Returns a part of the page at an address; the explorer knows how.
  fetch: null,
  // Deeper rows of a report are closed at first.
  OPEN: 2,

  start() {
    for (const table of document.querySelectorAll("table.tree")) this.grow(table);
  },

  grow(table) {
    const section = table.closest("section");
    const heading = (section && section.querySelector("h2")) || document.querySelector("h1");
    table.setAttribute("role", "treegrid");
    table.setAttribute("aria-label", heading.textContent);
    const rows = [...table.tBodies[0].rows];
    for (const row of rows) this.plant(row, Number(row.dataset.level || 1));
    for (const row of rows) this.addFold(row);
    for (const row of rows) if (this.levelOf(row) >= this.OPEN) this.turn(row);
    if (rows[0]) rows[0].tabIndex = 0;
    table.addEventListener("keydown", (event) => this.climb(table, event));
  },

  plant(row, level) {
    row.setAttribute("aria-level", level);
    row.tabIndex = -1;
    row.cells[0].style.paddingLeft = `${1.2 * level}rem`;
    const open = row.querySelector(".open");
    if (open) this.prepare(row, open, false);
  },

  prepare(row, open, isOpen) {
    row.setAttribute("aria-expanded", isOpen);
    open.textContent = isOpen ? "▾" : "▸";
    open.setAttribute("aria-label", "open or close");
    open.tabIndex = -1;
    open.addEventListener("click", (event) => {
      event.preventDefault();
      this.turn(row);
    });
  },

  // A row that has the rows below it can fold them.
  addFold(row) {
    if (!row.dataset.level) return;
    const open = document.createElement("button");
    open.type = "button";
    open.className = "open";
    if (this.below(row).length === 0) return;
    row.cells[0].prepend(open);
    this.prepare(row, open, true);
  },

  levelOf: (row) => Number(row.getAttribute("aria-level")),

  // The rows below a row, at all levels.
  below(row) {
    const rows = [];
    for (let at = row.nextElementSibling; at && this.levelOf(at) > this.levelOf(row);
      at = at.nextElementSibling) rows.push(at);
    return rows;
  },

  async turn(row) {
    const state = row.getAttribute("aria-expanded");
    const open = row.querySelector(".open");
    if (state === null || row.getAttribute("aria-busy") === "true") return;
    row.setAttribute("aria-expanded", String(state === "false"));
    open.textContent = state === "false" ? "▾" : "▸";
    if (!open.href) this.fold(row, state === "true");
    else if (state === "true") for (const each of this.below(row)) each.remove();
    else await this.load(row, open.href);
  },

  // Hides all rows below, or shows those that no closed row below hides.
  fold(row, closes) {
    let hiding = Infinity;
    for (const each of this.below(row)) {
      const level = this.levelOf(each);
      if (level <= hiding) hiding = Infinity;
      each.hidden = closes || level > hiding;
      if (each.getAttribute("aria-expanded") === "false") hiding = Math.min(hiding, level);
    }
  },

  async load(row, address) {
    row.setAttribute("aria-busy", "true");
    const answer = await this.fetch(address);
    row.removeAttribute("aria-busy");
    const rows = answer ? [...answer.querySelectorAll("tbody tr")] : [];
    const headings = [...row.closest("table").tHead.rows[0].cells].map((cell) => cell.textContent);
    tables.label(headings, rows);
    for (const each of rows) this.plant(each, this.levelOf(row) + 1);
    for (const each of rows) breaks.mark(each);
    row.after(...rows);
  },

  climb(table, event) {
    const row = event.target.closest("tbody tr");
    if (!row) return;
    const rows = [...table.tBodies[0].rows].filter((each) => !each.hidden);
    const at = rows.indexOf(row);
    const state = row.getAttribute("aria-expanded");
    const above = rows.slice(0, at).reverse()
      .find((each) => this.levelOf(each) < this.levelOf(row));
    const go = {
      ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows[rows.length - 1],
      ArrowRight: state === "true" ? rows[at + 1] : null,
      ArrowLeft: state === "true" ? null : above,
    };
    const turns = (event.key === "ArrowRight" && state === "false")
      || (event.key === "ArrowLeft" && state === "true");
    const link = row.querySelector("a:not(.open)");
    if (event.key === "Enter" && event.target === row && link) link.click();
    else if (turns) this.turn(row);
    else if (!(event.key in go)) return;
    event.preventDefault();
    const next = go[event.key];
    if (!next) return;
    for (const each of rows) each.tabIndex = each === next ? 0 : -1;
    next.focus();
  },
};
