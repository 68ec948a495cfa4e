"use strict";

// Places each area of a view, in pixels: [{place, depth, x, y, width, height}].
const layout = {
  ROW: 24, // of the icicle
  LEAST: 3, // narrower areas cannot be seen
  SHARE: 0.03, // areas with a greater share of the bytes show more levels
  MORE: 4, // levels

  // What d3 lays out: the places below `focus` that have bytes, some levels deep.
  hierarchy(focus, depth, more = 0) {
    const levels = (place) =>
      place.value >= this.SHARE * focus.value ? depth + more : depth;
    const children = (place) =>
      place.depth - focus.depth < levels(place)
        ? place.children.filter((child) => child.value > 0)
        : null;
    // Each place already counts all below it, so d3 must not add up.
    const tree = d3.hierarchy(focus, children);
    tree.each((node) => { node.value = node.data.value; });
    return tree.sort((a, b) => b.value - a.value);
  },

  areas(tree) {
    return tree.descendants().map((node) => ({
      place: node.data, depth: node.depth,
      x: node.x0, y: node.y0, width: node.x1 - node.x0, height: node.y1 - node.y0,
    }));
  },

  // Draws owners above what they own; the width shows the bytes.
  icicle(focus, width, rows) {
    const tree = this.hierarchy(focus, rows - 1);
    d3.partition().size([1, tree.height + 1])(tree);
    const x = d3.scaleLinear().domain([0, 1]).range([0, width]);
    return tree.descendants().map((node) => ({
      place: node.data, depth: node.depth,
      x: x(node.x0), y: node.depth * this.ROW,
      width: x(node.x1) - x(node.x0), height: this.ROW,
    })).filter((area) => area.width >= this.LEAST);
  },

  // Draws what is owned inside its owner.
  treemap(focus, width, height, levels) {
    const tree = this.hierarchy(focus, levels, this.MORE);
    d3.treemap().size([width, height]).paddingOuter(2).paddingTop(18).paddingInner(1)
      .round(true)(tree);
    return this.areas(tree).filter(
      (area) => area.width > this.LEAST && area.height > this.LEAST);
  },
};
