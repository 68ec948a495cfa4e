"use strict";

// Formats numbers as all reports of leakgraph do.
const format = {
  // Bytes with three digits: 812 B, 12.0 MiB, 1.93 GiB.
  bytes(number) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let unit = 0;
    while (number >= (unit === 0 ? 1024 : 999.5) && unit + 1 < units.length) {
      number /= 1024;
      unit++;
    }
    const decimals = unit === 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    return `${number.toFixed(decimals)} ${units[unit]}`;
  },

  // Bytes on each device, without zeros. Names the host only beside a device.
  sizes(devices, bytes) {
    const parts = devices
      .map((name, on) => [name, bytes[on]])
      .filter(([, number]) => number > 0)
      .reverse();
    if (parts.length === 0) return "0 B";
    if (parts.length === 1 && parts[0][0] === "host") return this.bytes(parts[0][1]);
    return parts.map(([name, number]) => `${this.bytes(number)} ${name}`).join(" · ");
  },

  count(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  },

  share(part, whole) {
    return whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "";
  },
};
