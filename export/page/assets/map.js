"use strict";

// The areas show who owns the bytes. The tree of one focus fills the view.
class AreaMap {
  constructor(element, data) {
    this.element = d3.select(element);
    this.devices = data.devices;
    this.objects = data.objects; // what a link to an object begins with
    this.totals = data.totals || [];
    this.snapshots = data.snapshots || [];
    this.steps = data.steps || null;
    this.root = places.read(data);
    this.rows = places.below(this.root).filter((place) => place.index !== undefined);
    this.focus = this.root;
    this.active = this.root;
    this.view = "treemap";
    this.colour = "kind";
    this.device = places.fullest(this.root, this.devices.length);
    this.usual = this.device;
    this.snapshot = null;
    this.mine = false;
    this.found = [];
    this.build();
    this.restore();
    addEventListener("popstate", () => this.restore());
    new ResizeObserver(() => this.fit()).observe(this.picture.node());
  }

  build() {
    this.bar = this.element.append("div").attr("class", "controls");
    this.addChoice("view", [["treemap", "nested"], ["icicle", "in rows"]]);
    if (this.snapshots.length > 1)
      this.addChoice("colour", [["kind", "by kind"], ["growth", "by growth"]]);
    if (this.devices.length > 1)
      this.addChoice("device", this.devices.map((name, on) => [on, name]));
    if (this.root.children.some((child) => child.mine)) this.addMine();
    this.addFind();
    if (this.snapshots.length > 1) this.addSlider();
    this.path = this.element.append("nav").attr("class", "trail")
      .attr("aria-label", "Where the areas are");
    const side = this.element.append("div").attr("class", "beside");
    this.picture = side.append("div").attr("class", "areas");
    this.svg = this.picture.append("svg").attr("role", "tree")
      .attr("aria-label", "Areas: who owns the bytes");
    this.addPattern();
    this.svg.on("keydown", () => this.key(d3.event))
      .on("mouseleave", () => this.tip.attr("hidden", ""));
    this.facts = side.append("dl").attr("class", "facts").attr("aria-live", "polite");
    this.tip = this.element.append("div").attr("class", "tip").attr("hidden", "")
      .attr("aria-hidden", "true");
    this.legend = this.element.append("ul").attr("class", "legend");
  }

  addChoice(field, choices) {
    const group = this.bar.append("div").attr("class", "choice").attr("role", "group")
      .attr("aria-label", field);
    group.selectAll("button").data(choices).enter().append("button").attr("type", "button")
      .attr("data-field", field)
      .text(([, text]) => text)
      .on("click", ([value]) => {
        this[field] = value;
        this.show(true);
      });
  }

  addMine() {
    const label = this.bar.append("label");
    this.box = label.append("input").attr("type", "checkbox");
    label.append("span").text("only the program's own modules");
    this.box.on("change", () => {
      this.mine = this.box.property("checked");
      this.go(this.root);
    });
  }

  // Enter zooms to the places found, one after the other, the biggest first.
  addFind() {
    const label = this.bar.append("label");
    const input = label.append("input").attr("type", "search")
      .attr("placeholder", "find").attr("aria-label", "Find areas");
    this.said = label.append("output");
    let next = 0;
    input.on("input", () => {
      next = 0;
      this.wanted = input.property("value");
      this.draw();
    });
    input.on("keydown", () => {
      if (d3.event.key !== "Enter" || this.found.length === 0) return;
      d3.event.preventDefault();
      this.go(this.found[next++ % this.found.length]);
    });
  }

  addSlider() {
    const last = this.snapshots.length - 1;
    const label = this.bar.append("label").attr("class", "slider");
    this.slid = label.append("span");
    this.slider = label.append("input").attr("type", "range").attr("min", 0)
      .attr("max", last).attr("value", last);
    this.slider.on("input", () => {
      const at = Number(this.slider.property("value"));
      this.snapshot = at === last ? null : at;
      growth.mark(at);
      this.show(false);
    });
  }

  nameOf(snapshot) {
    return this.steps ? `step ${format.count(this.steps[snapshot])}` : `snapshot ${snapshot + 1}`;
  }

  // Makes the controls show the state.
  setControls() {
    this.bar.selectAll(".choice button").attr("aria-pressed", ([value], i, all) =>
      String(value === this[all[i].getAttribute("data-field")]));
    if (this.box) this.box.property("checked", this.mine);
    if (!this.slider) return;
    const at = this.snapshot === null ? this.snapshots.length - 1 : this.snapshot;
    const time = this.snapshots[at].replace("T", " ").replace("Z", "");
    const rest = this.steps ? ` (${at + 1} of ${this.snapshots.length})`
      : ` of ${this.snapshots.length}${time ? `: ${time}` : ""}`;
    this.slider.property("value", at).attr("aria-valuetext", this.nameOf(at));
    this.slid.text(this.nameOf(at) + rest);
  }

  // Writes the state into the address, so that a link leads to it and Back returns to it.
  remember(push) {
    const state = new URLSearchParams({ map: this.focus === this.root ? "all" : this.focus.index });
    if (this.snapshot !== null) state.set("at", this.snapshot);
    if (this.view !== "treemap") state.set("view", this.view);
    if (this.colour !== "kind") state.set("colour", this.colour);
    if (this.device !== this.usual) state.set("device", this.device);
    if (this.mine) state.set("mine", 1);
    const address = `#${state}`;
    if (address === location.hash) return;
    history[push ? "pushState" : "replaceState"](null, "", address);
  }

  // Takes the state from the address. One that names a section says nothing of it.
  restore() {
    const state = new URLSearchParams(location.hash.slice(1));
    if (!state.has("map") || state.get("map") === "") {
      if (location.hash.length > 1 && this.width !== undefined) return;
      state.set("map", "all");
    }
    const number = (name, most) => {
      const value = Number(state.get(name));
      return state.has(name) && Number.isInteger(value) && value >= 0 && value < most
        ? value : null;
    };
    const at = number("at", this.snapshots.length - 1);
    const device = number("device", this.devices.length);
    this.snapshot = at;
    this.view = state.get("view") === "icicle" ? "icicle" : "treemap";
    this.colour = state.get("colour") === "growth" && this.slider ? "growth" : "kind";
    this.device = device === null ? this.usual : device;
    this.mine = state.get("mine") === "1";
    this.focus = this.rows.find((place) => String(place.index) === state.get("map")) || this.root;
    this.recount();
    this.setControls();
    if (this.width !== undefined) this.draw();
  }

  addPattern() {
    const pattern = this.svg.append("defs").append("pattern").attr("id", "hatch")
      .attr("width", 6).attr("height", 6).attr("patternUnits", "userSpaceOnUse")
      .attr("patternTransform", "rotate(45)");
    pattern.append("rect").attr("width", 6).attr("height", 6).attr("class", "hatch-ground");
    pattern.append("rect").attr("width", 2).attr("height", 6).attr("class", "hatch-line");
  }

  drawLegend() {
    const names = { native: "memory of C code", rest: "too small to show" };
    const kinds = ["package", "container", "object", "tensor", "array", "figure", "function",
      "class", "frame", "exception", "value", "native", "rest"]
      .map((name) => [`k-${name}`, names[name] || name]);
    const changes = [["g-0", "hardly changed"], ["g-1", "up to a quarter is new"],
      ["g-2", "up to half"], ["g-3", "up to three quarters"], ["g-4", "more"],
      ["g-less", "fewer bytes"]];
    this.legend.selectAll("li").remove();
    const items = this.legend.selectAll("li")
      .data(this.colour === "growth" ? changes : kinds).enter().append("li");
    const swatches = items.append("svg").attr("class", "swatch").attr("width", 12)
      .attr("height", 12).attr("aria-hidden", "true");
    swatches.append("rect").attr("width", 12).attr("height", 12)
      .attr("class", ([look]) => `area ${look}`);
    items.append("span").text(([, text]) => text);
  }

  // Counts the bytes in each snapshot, the shown one last. The biggest sets the scale.
  recount() {
    this.most = 0;
    for (const at of [...this.snapshots.keys()].slice(0, -1).concat(null)) {
      places.addUp(this.root, this.device, at, this.mine);
      this.most = Math.max(this.most, this.focus.value);
    }
    places.addUp(this.root, this.device, this.snapshots.length > 1 ? 0 : null, this.mine, "before");
    if (this.snapshot !== null)
      places.addUp(this.root, this.device, this.snapshot, this.mine);
    while (this.focus.parent && this.focus.value === 0 && this.most === 0)
      this.focus = this.focus.parent;
    this.active = this.focus;
  }

  show(push) {
    this.recount();
    this.setControls();
    this.draw();
    this.remember(push);
  }

  go(place) {
    this.focus = place.children.length > 0 ? place : place.parent || place;
    this.show(true);
    this.active = this.areaOf(place) ? place : this.active;
    this.tell(this.active);
  }

  // Draws again when the width changes, because the width decides the height.
  fit() {
    const width = this.picture.node().clientWidth;
    if (width === this.width) return;
    this.width = width;
    requestAnimationFrame(() => this.draw());
  }

  // An older snapshot with half of the bytes fills half of the picture.
  areas() {
    const width = Math.max(this.picture.node().clientWidth, 200);
    const scale = this.most > 0 ? this.focus.value / this.most : 1;
    if (this.view === "icicle") {
      const areas = layout.icicle(this.focus, width * scale, 14);
      const rows = Math.max(...areas.map((area) => area.depth)) + 1;
      return { width, height: rows * layout.ROW, areas };
    }
    const height = width < 600 ? 420 : Math.min(Math.max(560, 0.46 * width), 800);
    const side = Math.sqrt(scale);
    return { width, height, areas: layout.treemap(this.focus, width * side, height * side) };
  }

  look(area) {
    const fill = this.colour === "growth" ? `g-${places.change(area.place)}`
      : `k-${area.place.category}`;
    return `area ${fill}`;
  }

  // Marks what the reader wants to find; an area stands for all in it that has no area.
  findWanted() {
    this.found = places.find(this.root, this.wanted || "");
    this.hits = new Set(this.found);
    const many = this.found.length;
    const bytes = many > 0 ? `, ${format.bytes(places.together(this.found))}` : "";
    this.said.text(this.wanted
      ? `${format.count(many)} ${many === 1 ? "place" : "places"}${bytes}` : "");
  }

  markOf(area) {
    if (!this.wanted) return null;
    const hidden = area.node.children ? area.chain : [...area.chain, ...places.below(area.place)];
    return hidden.some((place) => this.hits.has(place)) ? "found" : "other";
  }

  draw() {
    this.findWanted();
    const { width, height, areas } = this.areas();
    this.svg.attr("width", width).attr("height", height)
      .attr("viewBox", `0 0 ${width} ${height}`);
    const groups = this.svg.selectAll("g").data(areas);
    groups.exit().remove();
    const added = groups.enter().append("g").attr("role", "treeitem");
    added.append("rect");
    added.append("text");
    const all = added.merge(groups);
    all.attr("transform", (area) => `translate(${area.x},${area.y})`)
      .attr("class", (area) => this.markOf(area))
      .attr("aria-label", (area) => this.describe(area.place))
      .attr("aria-level", (area) => area.depth + 1)
      .attr("tabindex", (area) => (area.place === this.active ? 0 : -1))
      .on("click", (area) => this.go(area.place))
      .on("mousemove", (area) => this.hint(area, d3.event))
      .on("mouseover", (area) => this.tell(area.place))
      .on("focus", (area) => this.tell(area.place));
    all.select("rect")
      .attr("class", (area) => this.look(area))
      .attr("width", (area) => Math.max(area.width - 1, 1))
      .attr("height", (area) => Math.max(area.height - 1, 1));
    all.select("text").attr("x", 5).attr("y", 14)
      .attr("class", (area) => `on-${area.place.category}`)
      .text((area) => this.caption(area));
    if (this.svg.selectAll("g[tabindex='0']").empty())
      this.svg.select("g").attr("tabindex", 0);
    this.drawTrail();
    this.drawLegend();
    this.tell(this.active);
  }

  // Shortens to what fits: a letter takes about seven pixels, a wide one twelve.
  caption(area) {
    const room = area.height < 14 ? 0 : area.width - 10;
    const { place, chain } = area;
    const name = places.chainName(chain || [place]);
    const type = place.label && place.type ? ` ${places.shortType(place)}` : "";
    const size = ` ${format.bytes(place.value)}`;
    const fits = (text) => AreaMap.textWidth(text) <= room;
    if (fits(name + type + size)) return name + type + size;
    if (fits(name + size)) return name + size;
    if (fits(name)) return name;
    if (room < 30) return "";
    let end = [...name];
    while (end.length > 2 && !fits(`${end.join("")}…`)) end.pop();
    return end.length > 2 ? `${end.join("")}…` : "";
  }

  static textWidth(text) {
    let width = 0;
    for (const character of text) width += character.codePointAt(0) > 0x2e80 ? 12.5 : 6.9;
    return width;
  }

  drawTrail() {
    const map = this;
    const trail = places.trail(this.focus);
    const buttons = this.path.selectAll("button").data(trail);
    buttons.exit().remove();
    buttons.enter().append("button").attr("type", "button").merge(buttons)
      .text((place) => places.name(place))
      .attr("aria-current", (place) => (place === this.focus ? "location" : null))
      .on("click", (place) => map.go(place));
  }

  describe(place) {
    const parts = [places.name(place), place.label ? place.type : "",
      format.bytes(place.value), format.share(place.value, this.root.value)];
    return parts.filter(Boolean).join(", ");
  }

  factsOf(place) {
    const facts = [["bytes", `${format.bytes(place.value)} on ${this.devices[this.device]}, `
      + `${format.share(place.value, this.root.value)} of everything`]];
    const gone = place === this.root ? this.gone() : 0;
    const first = this.snapshots.length > 1 && this.snapshot !== 0;
    const gained = place.value - place.before;
    if (first && gained !== 0)
      facts.push(["change", `${gained > 0 ? "+" : "−"}${format.bytes(Math.abs(gained))} since `
        + this.nameOf(0)]);
    if (gone > 0)
      facts.push(["and", `${format.bytes(gone)} in places that the newest snapshot lacks`]);
    if (place.path) facts.unshift([place.category === "rest" ? "below" : "path", place.path]);
    if (place.type) {
      const many = place.members > 1 ? `${format.count(place.members)} × ` : "";
      facts.push(["what", many + place.type]);
    }
    if (place.retained && place.category !== "rest" && this.snapshot === null)
      facts.push(["retains", format.sizes(this.devices, place.retained)]);
    if (typeof place.node === "number") facts.push(["example", `#${place.node}`]);
    return facts;
  }

  // Counts bytes of an older snapshot that no area shows.
  gone() {
    if (this.snapshot === null || this.mine) return 0;
    return this.totals[this.snapshot][this.device] - this.root.value;
  }

  tell(place) {
    this.facts.selectAll("*").remove();
    this.facts.append("dt").attr("class", "name").text(places.name(place));
    for (const [name, value] of this.factsOf(place)) {
      this.facts.append("dt").text(name);
      const fact = this.facts.append("dd")
        .attr("class", name === "path" || name === "below" ? "path" : null);
      if (name === "example" && this.objects)
        fact.append("a").attr("href", this.objects + place.node).text(value);
      else
        fact.text(value);
    }
    breaks.mark(this.facts.node());
  }

  // Says the most important beside the pointer.
  hint(area, event) {
    const facts = this.factsOf(area.place).filter(([name]) => name !== "example");
    this.tip.attr("hidden", null).selectAll("*").remove();
    this.tip.append("b").text(places.chainName(area.chain));
    for (const [name, value] of facts) this.tip.append("div").text(`${name}: ${value}`);
    const box = this.tip.node().getBoundingClientRect();
    const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
    const below = event.clientY + 18 + box.height < innerHeight;
    this.tip.style("left", `${Math.max(left, 8)}px`)
      .style("top", `${below ? event.clientY + 18 : event.clientY - 10 - box.height}px`);
  }

  areaOf(place) {
    return this.svg.selectAll("g").data().find((area) => area.chain.includes(place));
  }

  // Left and right lead to siblings, up to the owner, down to the biggest thing owned.
  neighbour(key) {
    const area = this.areaOf(this.active);
    if (!area) return this.focus;
    const { node } = area;
    const siblings = node.parent ? node.parent.children : [node];
    const at = siblings.indexOf(node);
    const to = {
      ArrowRight: siblings[at + 1], ArrowLeft: siblings[at - 1], ArrowUp: node.parent,
      ArrowDown: node.children && node.children[0],
    }[key];
    return to ? to.data.place : null;
  }

  key(event) {
    if (event.key === "Enter" || event.key === " ") this.go(this.active);
    else if (event.key === "Escape" || event.key === "Backspace")
      this.go(this.focus.parent || this.root);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    const next = event.key.startsWith("Arrow") ? this.neighbour(event.key) : null;
    if (next && this.areaOf(next)) this.active = next;
    const shown = this.areaOf(this.active);
    const groups = this.svg.selectAll("g").attr("tabindex", (area) => (area === shown ? 0 : -1));
    this.tell(this.active);
    const group = groups.filter((area) => area === shown);
    if (!group.empty()) group.node().focus();
  }
}
