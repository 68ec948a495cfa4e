"use strict";

// Tables sort at a click on a heading, and long ones filter by words.
const tables = {
  LONG: 12,

  // What a cell sorts by: its number, or its text.
  key(cell) {
    if (!cell) return "";
    const number = cell.getAttribute("data-v");
    return number === null ? cell.textContent.toLowerCase() : Number(number);
  },

  compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b));
  },

  // Numbers begin with the greatest, and texts with the first.
  sort(table, column, heading) {
    const body = table.tBodies[0];
    const was = heading.getAttribute("aria-sort");
    const rows = [...body.rows].map((row) => [this.key(row.cells[column]), row]);
    const numbers = rows.some(([key]) => typeof key === "number");
    const down = was ? was === "ascending" : numbers;
    rows.sort(([a], [b]) => (down ? -1 : 1) * this.compare(a, b));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...rows.map(([, row]) => row));
  },

  makeSortable(table) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      if (!heading.textContent) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      button.addEventListener("click", () => this.sort(table, column, heading));
      heading.replaceChildren(button);
    });
  },

  filter(table, words) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
    }
  },

  makeFilter(table, name) {
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = "filter";
    input.setAttribute("aria-label", `Filter: ${name}`);
    input.addEventListener("input", () => this.filter(table, input.value));
    table.before(input);
  },

  // On a narrow screen, the cells of a row with many columns stand below one another, with the
  // headings before them.
  STACKED: 4,
  stack(table) {
    const headings = [...table.tHead.rows[0].cells].map((heading) => heading.textContent);
    if (headings.length <= this.STACKED) return;
    table.classList.add("stacks");
    this.label(headings, table.tBodies[0].rows);
  },

  label(headings, rows) {
    for (const row of rows)
      [...row.cells].forEach((cell, i) => {
        if (headings[i]) cell.setAttribute("data-label", headings[i]);
      });
  },

  // Rows of a tree keep their order. A filter ignores what is folded.
  prepare(table, name) {
    if (table.classList.contains("tree")) {
      this.stack(table);
      return;
    }
    const tree = table.querySelector("td.d1, td.d2, td[style*=padding-left]") !== null;
    const rows = table.tBodies[0].rows.length;
    if (table.tHead) this.stack(table);
    if (table.tHead && !tree && rows > 1) this.makeSortable(table);
    if (rows > this.LONG && !table.closest("details")) this.makeFilter(table, name);
  },

  start() {
    for (const table of document.querySelectorAll("main table")) {
      const section = table.closest("section");
      const heading = (section && section.querySelector("h2")) || document.querySelector("h1");
      this.prepare(table, heading.textContent);
    }
  },
};
