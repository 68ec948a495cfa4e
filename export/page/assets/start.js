"use strict";

// A program without a document, such as a test, has all the above to itself.
if (typeof document !== "undefined") {
  const data = JSON.parse(document.getElementById("data").textContent);
  const view = document.getElementById("map-view");
  if (typeof d3 === "undefined")
    view.textContent = "This build of leakgraph has no areas: it was made without d3.";
  else
    new AreaMap(view, data);
  tables.start();
}
