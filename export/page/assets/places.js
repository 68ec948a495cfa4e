"use strict";

// Builds the dominator tree, folded by place, from the rows of the page's data.
const places = {
  // Makes a place for each row, below one for everything. What a row leaves out becomes a
  // place too, so that the bytes below any place add up.
  read(data) {
    const nothing = data.devices.map(() => 0);
    const root = {
      label: "everything", type: "", category: "root", members: 0, path: "",
      own: nothing, parent: null, children: [], depth: 0,
    };
    const all = data.places.map((row, i) => this.one(row, i, nothing));
    data.places.forEach((row, i) => {
      const parent = row[0] < 0 ? root : all[row[0]];
      this.put(all[i], parent);
      if (row[9] > 0) this.put(this.rest(row, all[i]), all[i]);
    });
    root.children = root.children.map((child) => this.simplest(child));
    return root;
  },

  // Replaces a package that has only the module of its name by that module.
  simplest(place) {
    const [only, ...others] = place.children;
    if (place.category !== "package" || others.length > 0 || !only || only.label !== place.label)
      return place;
    only.parent = place.parent;
    only.mine = place.mine;
    for (const each of this.below(only)) each.depth -= 1;
    return only;
  },

  // Lists a place and all below it, owners first.
  below(place) {
    const all = [place];
    for (let i = 0; i < all.length; i++) all.push(...all[i].children);
    return all;
  },

  one(row, index, nothing) {
    const [, label, type, category, members, node, path, own, retained] = row;
    const mine = row[11] === true;
    return {
      index, label, type, category, members, node, path, retained, mine,
      own: own || nothing, children: [], history: row[12] || null,
      restHistory: row[13] || null,
    };
  },

  rest(row, above) {
    return {
      label: `${format.count(row[9])} more places`, type: "", category: "rest",
      members: 0, path: above.path, own: row[10], retained: row[10], children: [],
      history: above.restHistory, mine: false,
    };
  },

  put(place, parent) {
    place.parent = parent;
    place.depth = parent.depth + 1;
    parent.children.push(place);
  },

  // The text of an area: `.losses`, `[*]`, or else the type.
  name(place) {
    return place.label || this.shortType(place) || "object";
  },

  shortType(place) {
    return place.type.split(".").pop();
  },

  // Bytes of a place alone, on one device, in one snapshot (null: the newest).
  own(place, device, snapshot) {
    const bytes = snapshot !== null && place.history ? place.history[snapshot] : place.own;
    return bytes[device] || 0;
  },

  // The device on which the newest snapshot has the most bytes.
  fullest(root, devices) {
    let found = 0;
    let most = 0;
    for (let device = 0; device < devices; device++) {
      this.addUp(root, device, null, false);
      if (root.value > most) [found, most] = [device, root.value];
    }
    return found;
  },

  // Sets a field of each place: its bytes and all below it. With `mine`, packages other than
  // the program's own have none.
  addUp(root, device, snapshot, mine, field = "value") {
    for (const place of this.below(root).reverse()) {
      place[field] = this.own(place, device, snapshot);
      for (const child of place.children) place[field] += child[field];
      if (mine && place.depth === 1 && !place.mine) place[field] = 0;
    }
  },

  // How the bytes of a place changed since `before`: `0` hardly, `1` to `4` for each quarter of
  // them that is new, or `less`.
  change(place) {
    const gained = place.value - place.before;
    const part = place.value > 0 ? gained / place.value : 0;
    if (gained < 0) return -gained > this.HARDLY * place.before ? "less" : "0";
    return part <= this.HARDLY ? "0" : String(Math.min(Math.floor(4 * part) + 1, 4));
  },
  HARDLY: 0.01,

  // Lists the places whose name, type or path has all the words, the biggest first.
  find(root, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (place) => {
      const about = `${this.name(place)} ${place.type} ${place.path}`.toLowerCase();
      return words.every((word) => about.includes(word));
    };
    const found = words.length > 0
      ? this.below(root).filter((place) => place.value > 0 && place.category !== "rest"
        && place !== root && has(place))
      : [];
    return found.sort((a, b) => b.value - a.value);
  },

  // Adds up places, each byte once: none counts that lies below another one.
  together(found) {
    const all = new Set(found);
    const outer = (place) => !this.trail(place).slice(0, -1).some((above) => all.has(above));
    return found.filter(outer).reduce((sum, place) => sum + place.value, 0);
  },

  // The text of several places in one area: `.trainer.losses[*] › storage`.
  chainName(chain) {
    return chain.map((place) => this.name(place))
      .reduce((text, name) => text + (/^[.[]/.test(name) ? "" : " › ") + name);
  },

  // Lists the places from the root down to this place.
  trail(place) {
    const trail = [];
    for (let at = place; at; at = at.parent) trail.unshift(at);
    return trail;
  },
};
