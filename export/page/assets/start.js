"use strict";

// A program without a document, such as a test, only uses the objects above.
if (typeof document !== "undefined") {
  // Pages about a single question have no areas.
  const data = document.getElementById("data");
  const view = document.getElementById("map-view");
  if (data && typeof d3 === "undefined")
    view.textContent = "This build of leakgraph has no areas: it was made without d3.";
  else if (data)
    new AreaMap(view, JSON.parse(data.textContent));
  tables.start();
  trees.start();
  breaks.mark(document.querySelector("main"));
  // Paper has no folds.
  const folded = () => document.querySelectorAll("main details:not([open])");
  addEventListener("beforeprint", () => {
    for (const each of folded()) {
      each.open = true;
      each.classList.add("unfolded");
    }
  });
  addEventListener("afterprint", () => {
    for (const each of document.querySelectorAll("details.unfolded")) {
      each.open = false;
      each.classList.remove("unfolded");
    }
  });
}
