"use strict";

// Places each area of a view, in pixels: [{place, chain, node, depth, x, y, width, height}].
const layout = {
  ROW: 24, // of the icicle
  LEAST: 3, // narrower areas cannot be seen
  ROOM: 1600, // smaller areas, in square pixels, show nothing of what they own

  // A place that has nearly all its bytes in one child, that child, and so on to the first that
  // shares them out or has bytes of its own. The view shows them as one area, so that no area is
  // blank that owns something, and what has the bytes gives the area its colour.
  chain(place) {
    const chain = [place];
    for (let owned = [place]; owned.length === 1;) {
      const above = owned[0];
      owned = above.children.filter((child) => child.value > 0);
      if (owned.length === 1 && owned[0].value < this.NEARLY * above.value) owned = [];
      if (owned.length === 1) chain.push(owned[0]);
    }
    return chain;
  },
  NEARLY: 0.9,

  // What d3 lays out: the places below `focus` that have bytes. `opens` decides whether a place
  // shows what it owns; `follow` lists the places that one area shows.
  hierarchy(focus, opens, follow) {
    const grow = (from, depth) => {
      const chain = follow(from);
      const place = chain[chain.length - 1];
      const owned = opens(place, depth) ? place.children.filter((child) => child.value > 0) : [];
      return { chain, place, value: from.value, children: owned.map((one) => grow(one, depth + 1)) };
    };
    // Each place already counts all below it, so d3 must not add up.
    const tree = d3.hierarchy(grow(focus, 0));
    tree.each((node) => { node.value = node.data.value; });
    return tree.sort((a, b) => b.value - a.value);
  },

  area(node, x, y, width, height) {
    const { place, chain } = node.data;
    return { place, chain, node, depth: node.depth, x, y, width, height };
  },

  // Draws owners above what they own; the width shows the bytes.
  icicle(focus, width, rows) {
    const tree = this.hierarchy(focus, (place, depth) => depth < rows - 1, (place) => [place]);
    d3.partition().size([1, tree.height + 1])(tree);
    const x = d3.scaleLinear().domain([0, 1]).range([0, width]);
    return tree.descendants()
      .map((node) => this.area(node, x(node.x0), node.depth * this.ROW,
        x(node.x1) - x(node.x0), this.ROW))
      .filter((area) => area.width >= this.LEAST);
  },

  // Draws what is owned inside its owner.
  treemap(focus, width, height) {
    const least = (this.ROOM / (width * height)) * focus.value;
    const tree = this.hierarchy(focus, (place) => place.value >= least,
      (place) => this.chain(place));
    d3.treemap().size([width, height]).paddingOuter(2).paddingTop(18).paddingInner(1)
      .round(true)(tree);
    return tree.descendants()
      .map((node) => this.area(node, node.x0, node.y0, node.x1 - node.x0, node.y1 - node.y0))
      .filter((area) => area.width > this.LEAST && area.height > this.LEAST);
  },
};
