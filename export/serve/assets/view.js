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
    trees.fetch = (address) => this.answerOf(address);
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
      if (!answer) return;
      later.replaceWith(answer);
      breaks.mark(answer);
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

  // A button copies the selector of the object or reference that a link leads to, or the path
  // whose steps are links.
  copySelectors() {
    const links = document.querySelectorAll(
      "main td a[href^='object?node='], main td a[href^='what-if?cut=']");
    for (const link of links) {
      const query = new URL(link.href).searchParams;
      this.addCopy(link, query.has("node") ? `#${query.get("node")}` : query.get("cut"));
    }
    const number = document.querySelector("h1 .note");
    if (number && number.textContent.startsWith("#")) this.addCopy(number, number.textContent);
    for (const steps of document.querySelectorAll(".steps"))
      this.addCopy(steps, steps.dataset.path, "path");
  },

  addCopy(beside, text, kind = "selector") {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.title = text;
    button.setAttribute("aria-label", `Copy the ${kind} ${text}`);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    beside.after(button);
  },
};

explorer.start();
