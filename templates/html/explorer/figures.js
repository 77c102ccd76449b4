// The charts: Vega-Lite documents of the page, filled with the numbers of the functions.

const SPOTS = 72; // points of a line

function spaced(low, high, extra = []) {
  if (high <= low) return [low];
  const even = Array.from({ length: SPOTS + 1 }, (_, index) => low * (high / low) ** (index / SPOTS));
  return [...even, ...extra.filter((value) => value > low && value < high)].sort((a, b) => a - b);
}

const labelOf = (key) => PAGE.rows.find((row) => row.key === key).label;

function lineRows(keys, xs, value) {
  return keys.flatMap((key) => xs.map((x) => ({ label: labelOf(key), x, y: value(key, x) })))
    .filter((row) => row.y > 0);
}

// Marks, or one without a word at the left edge: a scale has no extent for no rows.
function marked(marks, last) {
  if (!marks.length) return [{ x: 1, text: '', align: 'left' }];
  return marks.map((mark) => ({ ...mark, align: mark.x > last ** 0.7 ? 'right' : 'left' }));
}

function rooflineData(numbers) {
  const keys = PAGE.rows.map((row) => row.key);
  const found = keys.map((key) => numbers.rows[key].intensity);
  const [low, high] = [Math.min(...found, numbers.ridge) / 3, Math.max(...found, numbers.ridge) * 3];
  const roof = [low, numbers.ridge, high].map((x) => ({ x, y: Math.min(numbers.peak, x * numbers.bandwidth) }));
  const points = keys.map((key) => {
    const { intensity, attainable } = numbers.rows[key];
    const text = `${plainNumber(intensity)} FLOP/B, ${withPrefix(attainable, 'FLOP/s')}`;
    return { label: labelOf(key), x: intensity, y: attainable, text };
  });
  return { roof, points, marks: [{ x: numbers.ridge, text: `ridge ${plainNumber(numbers.ridge)}`, align: 'right' }] };
}

function ordersData(numbers, sizes, set) {
  const { crossing } = set;
  const meets = numbers.crossing.meets.map((meet) => meet.at);
  const cost = (name, x) => FUNCTIONS[crossing.costs[name].f]({ ...sizes, S: x });
  return {
    lines: lineRows(crossing.names, spaced(1, sizes.L, [...meets, sizes.S]), cost),
    points: crossing.names.map((name) => ({
      label: labelOf(name), x: sizes.S, y: numbers.crossing.costs[name],
      text: `S = ${plainNumber(sizes.S)}: ${withPrefix(numbers.crossing.costs[name], 'FLOP')}`,
    })),
    marks: marked(meets.filter((x) => x >= 1).map((x) => ({ x, text: `S* = ${plainNumber(x)}` })), sizes.L),
  };
}

function timesData(numbers, sizes, set) {
  const keys = PAGE.rows.map((row) => row.key);
  const frees = keys.map((key) => numbers.rows[key].ridge).filter((value) => value !== null);
  const time = (key, x) => FUNCTIONS[set.rows[key].time.f]({ ...sizes, S: x }) / numbers.peak;
  return {
    lines: lineRows(keys, spaced(1, Math.min(sizes.L, 4096), [...frees, sizes.S]), time),
    points: keys.map((key) => ({
      label: labelOf(key), x: sizes.S, y: numbers.rows[key].time,
      text: `S = ${plainNumber(sizes.S)}: ${seconds(numbers.rows[key].time)}`,
    })).filter((point) => point.x <= 4096),
    marks: marked([]),
  };
}

function cacheData(numbers, sizes, set) {
  const keys = PAGE.rows.map((row) => row.key);
  const most = CONTROLS.get('L').stops.at(-1);
  const kept = (key, x) => FUNCTIONS[set.rows[key].cache.f]({ ...sizes, L: x });
  return {
    lines: lineRows(keys, spaced(1, most, [sizes.L]), kept),
    points: keys.map((key) => ({
      label: labelOf(key), x: sizes.L, y: numbers.rows[key].cache, text: byteText(numbers.rows[key].cache),
    })),
    marks: marked([{ x: sizes.L, text: `L = ${plainNumber(sizes.L)}` }], most),
  };
}

const FIGURES = { roofline: rooflineData, orders: ordersData, times: timesData, cache: cacheData };

function theme(width) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const font = 'system-ui, sans-serif';
  return {
    background: 'transparent',
    font,
    view: { stroke: colour('rule') },
    axis: {
      domainColor: colour('rule'), gridColor: colour('grid'), tickColor: colour('rule'),
      labelColor: colour('ink'), titleColor: colour('ink'), titleFontWeight: 'normal', labelFontSize: 11,
    },
    legend: {
      orient: 'bottom', title: null, labelColor: colour('ink'), columns: Math.max(1, Math.floor(width / 150)),
      labelLimit: 0, offset: 8, rowPadding: 3,
    },
    range: { category: PAGE.rows.map((_, index) => colour(`c${index}`)) },
  };
}

const views = {};
const dark = matchMedia('(prefers-color-scheme: dark)');

async function embed(name, data) {
  const holder = document.getElementById(`chart-${name}`);
  const style = getComputedStyle(document.documentElement);
  const spec = structuredClone(PAGE.charts[name]);
  spec.signals.find((signal) => signal.name === 'ink').value = style.getPropertyValue('--ink').trim();
  for (const set of spec.data) if (set.name in data) set.values = data[set.name];
  views[name]?.finalize();
  const made = await vegaEmbed(holder, spec, {
    mode: 'vega',
    ast: true, // expressions are interpreted, so the page needs no unsafe-eval
    config: theme(holder.clientWidth),
    actions: false, renderer: 'svg', defaultStyle: false,
    tooltip: { theme: dark.matches ? 'dark' : 'light' },
  });
  views[name] = made.view;
}

async function showFigure(name, data, afresh) {
  if (afresh || !views[name]) return embed(name, data);
  for (const [set, rows] of Object.entries(data)) views[name].data(set, rows);
  return views[name].runAsync();
}

let drawing = Promise.resolve();
let waiting = null;

// One drawing at a time; of those asked for meanwhile, the last.
function showFigures(numbers, settings, afresh = false) {
  const idle = waiting === null;
  waiting = { numbers, settings, afresh: afresh || (waiting?.afresh ?? false) };
  if (!idle) return drawing;
  drawing = drawing.then(async () => {
    const asked = waiting;
    waiting = null;
    const sizes = sizesOf(asked.settings);
    for (const [name, make] of Object.entries(FIGURES)) {
      await showFigure(name, make(asked.numbers, sizes, setOf(asked.settings)), asked.afresh);
    }
  });
  return drawing;
}
