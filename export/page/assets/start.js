"use strict";

// A program without a document, such as a test, has all the above to itself.
if (typeof document !== "undefined") {
  // Pages of one question have no areas.
  const data = document.getElementById("data");
  const view = document.getElementById("map-view");
  if (data && typeof d3 === "undefined")
    view.textContent = "This build of leakgraph has no areas: it was made without d3.";
  else if (data)
    new AreaMap(view, JSON.parse(data.textContent));
  tables.start();
}
