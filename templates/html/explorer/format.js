// Numbers for people, in the manner of the engine's own pages.

function grouped(value, digits) {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function plainNumber(value) {
  if (value === null || !Number.isFinite(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return grouped(value, 0);
  const size = Math.abs(value);
  if (size >= 1000) return size < 1e15 ? grouped(value, 1) : value.toExponential(3);
  return size >= 0.01 ? value.toFixed(2) : value.toPrecision(3);
}

const PREFIXES = [[1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

function withPrefix(value, unit) {
  for (const [size, letter] of PREFIXES) {
    if (value >= size) return `${(value / size).toPrecision(4)}\u00a0${letter}${unit}`;
  }
  return `${plainNumber(value)}\u00a0${unit}`;
}

const BYTES = [[5, 'PB', 'PiB'], [4, 'TB', 'TiB'], [3, 'GB', 'GiB'], [2, 'MB', 'MiB'], [1, 'kB', 'KiB']];

function byteText(value) {
  for (const [power, decimal, binary] of BYTES) {
    if (value >= 1000 ** power) {
      const both = [value / 1000 ** power, value / 1024 ** power].map((number) => number.toFixed(2));
      return `${both[0]}\u00a0${decimal} (${both[1]}\u00a0${binary})`;
    }
  }
  return `${plainNumber(value)}\u00a0B`;
}

function seconds(value) {
  for (const [size, unit] of [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']]) {
    if (value >= size) return `${(value / size).toPrecision(3)}\u00a0${unit}`;
  }
  return `${(value / 1e-9).toPrecision(3)}\u00a0ns`;
}

function listed(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
