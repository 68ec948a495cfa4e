"use strict";

// Does what links and forms cannot. All pages of the explorer work without this script, but
// slower.
const explorer = {
  // Completes what the user types into the search field.
  start() {
    const field = document.querySelector(".search input");
    const known = document.getElementById("known");
    let asked = "";
    field.addEventListener("input", async () => {
      const text = field.value;
      asked = text;
      const lines = await this.completionsOf(text);
      if (asked !== text) return;
      known.replaceChildren(...lines.split("\n").filter(Boolean).map((line) => {
        const option = document.createElement("option");
        option.value = line;
        return option;
      }));
    });
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, select, textarea");
      if (event.key !== "/" || typing) return;
      event.preventDefault();
      field.focus();
      field.select();
    });
    for (const later of document.querySelectorAll(".later")) this.fill(later);
    this.arrangeTable();
    this.copySelectors();
    for (const table of document.querySelectorAll("table.tree")) this.growTree(table);
  },

  // Fetches selectors that begin so, one a line; nothing if the server ended.
  async completionsOf(text) {
    try {
      const reply = await fetch(`complete?q=${encodeURIComponent(text)}`);
      return reply.ok ? await reply.text() : "";
    } catch {
      return "";
    }
  },

  // Fetches another page's answer, or the reason why there is none; nothing if the server
  // ended. Asks again while the server makes the page.
  async answerOf(address) {
    try {
      let reply = await fetch(address);
      while (reply.status === 202) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        reply = await fetch(address);
      }
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      return page.querySelector(reply.ok ? ".answer" : "main p");
    } catch {
      return null;
    }
  },

  // Replaces a link to another page by its answer, once the reader sees the link.
  fill(later) {
    const link = later.querySelector("a");
    new IntersectionObserver(async (entries, observer) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      later.setAttribute("aria-busy", "true");
      const answer = await this.answerOf(link.href);
      later.setAttribute("aria-busy", "false");
      if (answer) later.replaceWith(answer);
    }, { rootMargin: "200px" }).observe(later);
  },

  // The server sorts and filters all rows of a table, not only those that the page shows.
  arrangeTable() {
    const form = document.querySelector("form.controls");
    const table = document.querySelector("section > .table table");
    if (!form || !table || !form.elements.sort) return;
    const filter = table.previousElementSibling;
    if (filter && filter.type === "search") filter.remove();
    const { sort, order } = form.elements;
    for (const heading of table.tHead ? table.tHead.rows[0].cells : []) {
      const button = heading.querySelector("button");
      if (!button) continue;
      const name = button.textContent;
      if (sort.value === name) heading.setAttribute("aria-sort", order.value);
      const copy = button.cloneNode(true);
      button.replaceWith(copy);
      copy.addEventListener("click", () => {
        const numbers = heading.classList.contains("n");
        const turned = order.value === "descending" ? "ascending" : "descending";
        order.value = sort.value === name ? turned : numbers ? "descending" : "ascending";
        sort.value = name;
        form.requestSubmit();
      });
    }
    this.chooseColumns(form, table);
  },

  // Hides columns; the address says which.
  chooseColumns(form, table) {
    const headings = [...(table.tHead ? table.tHead.rows[0].cells : [])];
    if (headings.length < 2) return;
    const names = headings.map((heading) => heading.textContent);
    const hidden = new Set(new URLSearchParams(location.hash.slice(1)).getAll("hide"));
    const show = () => {
      for (const row of table.rows)
        [...row.cells].forEach((cell, i) => { cell.hidden = hidden.has(names[i]); });
    };
    const list = document.createElement("details");
    list.className = "columns";
    const title = document.createElement("summary");
    title.textContent = "columns";
    list.append(title);
    for (const name of names.filter(Boolean)) {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = !hidden.has(name);
      box.addEventListener("change", () => {
        hidden[box.checked ? "delete" : "add"](name);
        const state = new URLSearchParams([...hidden].map((each) => ["hide", each]));
        history.replaceState(null, "", hidden.size > 0 ? `#${state}` : location.pathname
          + location.search);
        show();
      });
      label.append(box, name);
      list.append(label);
    }
    form.append(list);
    show();
  },

  // Trees open in place: the rows of a level come from the server when the reader opens it.
  // Right opens or goes down, left closes or goes up, as in other trees.
  growTree(table) {
    table.setAttribute("role", "treegrid");
    const section = table.closest("section");
    const heading = (section && section.querySelector("h2")) || document.querySelector("h1");
    table.setAttribute("aria-label", heading.textContent);
    for (const row of table.tBodies[0].rows) this.plant(row, 1);
    const [first] = table.tBodies[0].rows;
    if (first) first.tabIndex = 0;
    table.addEventListener("keydown", (event) => this.climb(table, event));
  },

  plant(row, level) {
    row.setAttribute("aria-level", level);
    row.tabIndex = -1;
    row.cells[0].style.paddingLeft = `${1.2 * (level - 1)}rem`;
    const open = row.querySelector(".open");
    if (!open) return;
    row.setAttribute("aria-expanded", "false");
    open.textContent = "▸";
    open.setAttribute("aria-label", "open or close");
    open.tabIndex = -1;
    open.addEventListener("click", (event) => {
      event.preventDefault();
      this.turn(row);
    });
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
    if (state === "true") {
      for (const each of this.below(row)) each.remove();
      return;
    }
    row.setAttribute("aria-busy", "true");
    const answer = await this.answerOf(open.href);
    row.removeAttribute("aria-busy");
    const rows = answer ? [...answer.querySelectorAll("tbody tr")] : [];
    for (const each of rows) this.plant(each, this.levelOf(row) + 1);
    row.after(...rows);
  },

  climb(table, event) {
    const row = event.target.closest("tbody tr");
    if (!row) return;
    const rows = [...table.tBodies[0].rows];
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
    if (event.key === "Enter" && event.target === row) row.querySelector("a:not(.open)").click();
    else if (turns) this.turn(row);
    else if (!(event.key in go)) return;
    event.preventDefault();
    const next = go[event.key];
    if (!next) return;
    for (const each of rows) each.tabIndex = each === next ? 0 : -1;
    next.focus();
  },

  // A button copies the selector of the object or reference that a link leads to.
  copySelectors() {
    const links = document.querySelectorAll(
      "main td a[href^='object?node='], main td a[href^='what-if?cut=']");
    for (const link of links) {
      const query = new URL(link.href).searchParams;
      this.addCopy(link, query.has("node") ? `#${query.get("node")}` : query.get("cut"));
    }
    const number = document.querySelector("h1 .note");
    if (number && number.textContent.startsWith("#")) this.addCopy(number, number.textContent);
  },

  addCopy(beside, selector) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.title = selector;
    button.setAttribute("aria-label", `Copy the selector ${selector}`);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(selector);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    beside.after(button);
  },
};

explorer.start();
