"use strict";

// The tables of a notebook's cell sort. Long ones show their first rows until the reader asks
// for all rows, or for those with certain words.
const notebook = {
  // A filter looks through all rows.
  fold(table, filter) {
    const count = table.tBodies[0].rows.length;
    const button = document.createElement("button");
    button.type = "button";
    const turn = (folded) => {
      table.classList.toggle("folded", folded);
      button.textContent = folded ? `Show all ${count} rows` : "Show fewer rows";
    };
    button.addEventListener("click", () => turn(!table.classList.contains("folded")));
    filter.addEventListener("input", () => {
      turn(filter.value === "");
      button.hidden = filter.value !== "";
    });
    turn(true);
    table.after(button);
  },

  // Without this script, a table of its own holds the later rows.
  unfold(more) {
    const [first, rest] = [more.previousElementSibling, more.querySelector("table")];
    first.tBodies[0].append(...rest.tBodies[0].rows);
    more.remove();
  },

  start(output) {
    output.querySelectorAll("details.more").forEach(this.unfold);
    for (const table of output.querySelectorAll("table")) {
      tables.prepare(table, "rows");
      const filter = table.previousElementSibling;
      if (filter && filter.type === "search") this.fold(table, filter);
    }
  },
};

if (typeof document !== "undefined") notebook.start(document.currentScript.parentElement);
