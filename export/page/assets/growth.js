"use strict";

// The dots of the charts follow the slider.
const growth = {
  mark(snapshot) {
    for (const chart of document.querySelectorAll("#growth svg")) {
      const line = chart.querySelector("polyline");
      const dot = chart.querySelector("circle");
      if (!line || !dot) continue;
      const points = line.getAttribute("points").split(" ");
      const [x, y] = (points[snapshot] || points[points.length - 1]).split(",");
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
    }
  },
};
