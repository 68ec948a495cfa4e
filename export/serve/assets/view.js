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
    this.rememberTable();
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

  // A table's order and filter are part of its address.
  rememberTable() {
    const table = document.querySelector("section > .table table");
    if (!table || !location.pathname.endsWith("/table")) return;
    const state = new URLSearchParams(location.hash.slice(1));
    const field = table.parentElement.querySelector("input[type=search]");
    const headings = [...(table.tHead ? table.tHead.rows[0].cells : [])];
    if (field && state.get("filter")) {
      field.value = state.get("filter");
      tables.filter(table, field.value);
    }
    const heading = headings[Number(state.get("sort"))];
    if (state.has("sort") && heading) {
      tables.sort(table, headings.indexOf(heading), heading);
      if (heading.getAttribute("aria-sort") !== state.get("order"))
        tables.sort(table, headings.indexOf(heading), heading);
    }
    const remember = () => {
      const now = new URLSearchParams();
      const sorted = headings.findIndex((each) => each.hasAttribute("aria-sort"));
      if (sorted >= 0) {
        now.set("sort", sorted);
        now.set("order", headings[sorted].getAttribute("aria-sort"));
      }
      if (field && field.value) now.set("filter", field.value);
      history.replaceState(null, "", `#${now}`);
    };
    table.addEventListener("click", remember);
    if (field) field.addEventListener("input", remember);
  },
};

explorer.start();
