"use strict";

// The areas show who owns the bytes. The tree of one focus fills the view.
class AreaMap {
  constructor(element, data) {
    this.element = d3.select(element);
    this.devices = data.devices;
    this.objects = data.objects; // what a link to an object begins with
    this.totals = data.totals || [];
    this.snapshots = data.snapshots || [];
    this.root = places.read(data);
    this.focus = this.root;
    this.active = this.root;
    this.view = "treemap";
    this.device = places.fullest(this.root, this.devices.length);
    this.snapshot = null;
    this.mine = false;
    this.build();
    this.recount();
    new ResizeObserver(() => this.fit()).observe(this.picture.node());
  }

  // ------------------------------------------------------------ controls ---

  build() {
    this.bar = this.element.append("div").attr("class", "controls");
    this.addChoice("view", [["treemap", "nested"], ["icicle", "in rows"]]);
    if (this.devices.length > 1)
      this.addChoice("device", this.devices.map((name, on) => [on, name]));
    if (this.root.children.some((child) => child.mine)) this.addMine();
    if (this.snapshots.length > 1) this.addSlider();
    this.path = this.element.append("nav").attr("class", "trail")
      .attr("aria-label", "Where the areas are");
    this.picture = this.element.append("div").attr("class", "areas");
    this.svg = this.picture.append("svg").attr("role", "tree")
      .attr("aria-label", "Areas: who owns the bytes");
    this.addPattern();
    this.svg.on("keydown", () => this.key(d3.event));
    this.facts = this.element.append("dl").attr("class", "facts").attr("aria-live", "polite");
    this.addLegend();
  }

  addChoice(field, choices) {
    const group = this.bar.append("div").attr("class", "choice").attr("role", "group")
      .attr("aria-label", field);
    const map = this;
    group.selectAll("button").data(choices).enter().append("button").attr("type", "button")
      .text(([, text]) => text)
      .attr("aria-pressed", ([value]) => String(value === this[field]))
      .on("click", function choose([value]) {
        map[field] = value;
        group.selectAll("button").attr("aria-pressed", ([each]) => String(each === value));
        map.recount();
        map.draw();
      });
  }

  addMine() {
    const label = this.bar.append("label");
    const box = label.append("input").attr("type", "checkbox");
    label.append("span").text("only the program's own modules");
    box.on("change", () => {
      this.mine = box.property("checked");
      this.go(this.root);
    });
  }

  addSlider() {
    const last = this.snapshots.length - 1;
    const label = this.bar.append("label").attr("class", "slider");
    const text = label.append("span");
    const say = (at) => {
      const time = this.snapshots[at].replace("T", " ").replace("Z", "");
      text.text(`snapshot ${at + 1} of ${last + 1}${time ? `: ${time}` : ""}`);
    };
    const input = label.append("input").attr("type", "range").attr("min", 0)
      .attr("max", last).attr("value", last);
    say(last);
    input.on("input", () => {
      const at = Number(input.property("value"));
      this.snapshot = at === last ? null : at;
      say(at);
      growth.mark(at);
      this.recount();
      this.draw();
    });
  }

  addPattern() {
    const pattern = this.svg.append("defs").append("pattern").attr("id", "hatch")
      .attr("width", 6).attr("height", 6).attr("patternUnits", "userSpaceOnUse")
      .attr("patternTransform", "rotate(45)");
    pattern.append("rect").attr("width", 6).attr("height", 6).attr("class", "hatch-ground");
    pattern.append("rect").attr("width", 2).attr("height", 6).attr("class", "hatch-line");
  }

  addLegend() {
    const names = ["package", "container", "object", "tensor", "array", "figure", "function",
      "class", "frame", "exception", "value", "rest"];
    const items = this.element.append("ul").attr("class", "legend").selectAll("li")
      .data(names).enter().append("li");
    const swatches = items.append("svg").attr("class", "swatch").attr("width", 12)
      .attr("height", 12).attr("aria-hidden", "true");
    swatches.append("rect").attr("width", 12).attr("height", 12)
      .attr("class", (name) => `area k-${name}`);
    items.append("span").text((name) => (name === "rest" ? "too small to show" : name));
  }

  // ------------------------------------------------------------- drawing ---

  recount() {
    places.addUp(this.root, this.device, this.snapshot, this.mine);
    while (this.focus.parent && this.focus.value === 0) this.focus = this.focus.parent;
    this.active = this.focus;
  }

  go(place) {
    this.focus = place.children.length > 0 ? place : place.parent || place;
    this.recount();
    this.active = place;
    this.draw();
  }

  // Draws again when the width changes, because the width decides the height.
  fit() {
    const width = this.picture.node().clientWidth;
    if (width === this.width) return;
    this.width = width;
    requestAnimationFrame(() => this.draw());
  }

  areas() {
    const width = Math.max(this.picture.node().clientWidth, 200);
    const narrow = width < 600;
    if (this.view === "icicle") {
      const areas = layout.icicle(this.focus, width, 14);
      const rows = Math.max(...areas.map((area) => area.depth)) + 1;
      return { width, height: rows * layout.ROW, areas };
    }
    const height = narrow ? 420 : 560;
    return { width, height, areas: layout.treemap(this.focus, width, height, narrow ? 3 : 4) };
  }

  draw() {
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
      .attr("aria-label", (area) => this.describe(area.place))
      .attr("aria-level", (area) => area.depth + 1)
      .attr("tabindex", (area) => (area.place === this.active ? 0 : -1))
      .on("click", (area) => this.go(area.place))
      .on("mouseover", (area) => this.tell(area.place))
      .on("focus", (area) => this.tell(area.place));
    all.select("rect")
      .attr("class", (area) => `area k-${area.place.category}`)
      .attr("width", (area) => Math.max(area.width - 1, 1))
      .attr("height", (area) => Math.max(area.height - 1, 1));
    all.select("text").attr("x", 5).attr("y", 14)
      .attr("class", (area) => `on-${area.place.category}`)
      .text((area) => this.caption(area));
    this.drawTrail();
    this.tell(this.active);
  }

  // Shortens to what fits: a letter takes about seven pixels, a wide one twelve.
  caption(area) {
    const room = area.height < 14 ? 0 : area.width - 10;
    const { place } = area;
    const name = places.name(place);
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

  // --------------------------------------------------------------- words ---

  describe(place) {
    const parts = [places.name(place), place.label ? place.type : "",
      format.bytes(place.value), format.share(place.value, this.root.value)];
    return parts.filter(Boolean).join(", ");
  }

  factsOf(place) {
    const facts = [["area", `${format.bytes(place.value)} on ${this.devices[this.device]}, `
      + `${format.share(place.value, this.root.value)} of everything`]];
    const gone = place === this.root ? this.gone() : 0;
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
  }

  // ------------------------------------------------------------ keyboard ---

  // Left and right lead to siblings, up to the owner, down to the biggest thing owned.
  neighbour(key) {
    const siblings = this.active.parent
      ? this.active.parent.children.filter((each) => each.value > 0)
        .sort((a, b) => b.value - a.value)
      : [this.active];
    const at = siblings.indexOf(this.active);
    if (key === "ArrowRight") return siblings[at + 1];
    if (key === "ArrowLeft") return siblings[at - 1];
    if (key === "ArrowUp") return this.active === this.focus ? null : this.active.parent;
    if (key === "ArrowDown")
      return [...this.active.children].sort((a, b) => b.value - a.value)[0];
    return null;
  }

  key(event) {
    if (event.key === "Enter" || event.key === " ") this.go(this.active);
    else if (event.key === "Escape" || event.key === "Backspace")
      this.go(this.focus.parent || this.root);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    const next = this.neighbour(event.key);
    const drawn = (place) => this.svg.selectAll("g").filter((area) => area.place === place);
    if (next && !drawn(next).empty()) this.active = next;
    this.svg.selectAll("g")
      .attr("tabindex", (area) => (area.place === this.active ? 0 : -1));
    this.tell(this.active);
    const group = drawn(this.active);
    if (!group.empty()) group.node().focus();
  }
}
