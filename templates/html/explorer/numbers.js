// What the page computes: the functions printed from the engine, at the sizes the sliders are set to.

const LONGEST = 65536; // query tokens of a step that are looked at, as in the engine

const SETS = PAGE.sets;
const gpuOf = (settings) => PAGE.gpus.find((gpu) => gpu.name === settings.gpu);
const setOf = (settings) => SETS[`${settings.TP}/${settings.pairs}/${settings.scope}`];

function machineOf(settings) {
  const gpu = gpuOf(settings);
  const peak = gpu.peaks[settings.compute].value;
  return { peak, bandwidth: gpu.bandwidth.value, ridge: peak / gpu.bandwidth.value };
}

function sizesOf(settings) {
  const sizes = { R: machineOf(settings).ridge };
  for (const control of PAGE.controls) sizes[control.name] = settings[control.name];
  for (const [name, other] of Object.entries(PAGE.aliases)) sizes[name] = settings[other];
  return sizes;
}

const at = (quantity, sizes) => (quantity && 'f' in quantity ? FUNCTIONS[quantity.f](sizes) : null);

// The largest S with which a kernel still waits for memory: 0 if none does, null if all do.
function freeQueries(gap, sizes) {
  const past = (queries) => FUNCTIONS[gap.f]({ ...sizes, S: queries }) > 0;
  let high = Math.min(sizes.L, LONGEST);
  if (!past(high)) return null;
  let low = 0;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (past(middle)) high = middle;
    else low = middle;
  }
  return low;
}

// Where two amounts meet, of all formulas those whose conditions hold at these sizes.
function holding(solutions, sizes) {
  return solutions.filter(({ conditions }) => conditions.every((one) => at(one, sizes) > 0));
}

function ridgeOf(row, sizes) {
  const [found] = holding(row.ridge?.solutions ?? [], sizes);
  return found ? at(found, sizes) : null;
}

function rowAt(row, sizes, machine) {
  const intensity = at(row.intensity, sizes);
  const attainable = Math.min(machine.peak, intensity * machine.bandwidth);
  return {
    flops: at(row.flops, sizes),
    bytes: at(row.bytes, sizes),
    intensity,
    attainable,
    waits: intensity < machine.ridge ? 'memory' : intensity > machine.ridge ? 'arithmetic' : 'both',
    time: at(row.time, sizes) / machine.peak,
    free: freeQueries(row.gap, sizes),
    ridge: ridgeOf(row, sizes),
    layer: at(row.layer, sizes),
    cache: at(row.cache, sizes),
  };
}

function crossingAt(crossing, sizes) {
  const costs = Object.fromEntries(crossing.names.map((name) => [name, at(crossing.costs[name], sizes)]));
  const meets = holding(crossing.solutions, sizes).map((solution) => ({
    at: at(solution, sizes), below: solution.below, above: solution.above, solution,
  }));
  const sign = FUNCTIONS[crossing.difference]({ ...sizes, S: 1 });
  const everywhere = meets.length || !sign ? null : crossing.names[sign > 0 ? 1 : 0];
  return { costs, meets, everywhere };
}

function numbersAt(settings) {
  const sizes = sizesOf(settings);
  const machine = machineOf(settings);
  const set = setOf(settings);
  const rows = {};
  for (const { key } of PAGE.rows) rows[key] = rowAt(set.rows[key], sizes, machine);
  return {
    ...machine,
    rows,
    indexer: rowAt(set.indexer, sizes, machine),
    crossing: crossingAt(set.crossing, sizes),
  };
}
