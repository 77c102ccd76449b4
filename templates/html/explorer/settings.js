// What the sliders are set to: checked wherever it comes from, a field, a link or a script.

const CONTROLS = new Map(PAGE.controls.map((control) => [control.name, control]));
const CHOICES = {
  gpu: () => PAGE.gpus.map((gpu) => gpu.name),
  compute: (settings) => Object.keys(gpuOf(settings).peaks),
  pairs: () => [...new Set(Object.keys(SETS).map((key) => key.split('/')[1]))],
  scope: () => [...new Set(Object.keys(SETS).map((key) => key.split('/')[2]))],
};
const LONGEST_HASH = 2000;
const SUFFIXES = { '': 1, K: 2 ** 10, M: 2 ** 20 };

// A typed number, `128K` being 131,072; what is wrong with it otherwise.
function readNumber(control, text, settings) {
  const typed = text.trim().replace(/^[0-9]{1,3}(,[0-9]{3})+(?![0-9,])/, (whole) => whole.replace(/,/g, ''));
  const hit = /^([0-9]{1,9}) ?([KkMm]?)$/.exec(typed.replace(/_/g, ''));
  const stops = control.stops;
  const range = control.onlyStops
    ? `one of ${stops.join(', ')}`
    : `a whole number from ${plainNumber(stops[0])} to ${plainNumber(stops.at(-1))}`;
  const value = hit ? Number(hit[1]) * SUFFIXES[hit[2].toUpperCase()] : NaN;
  const inside = control.onlyStops ? stops.includes(value) : value >= stops[0] && value <= stops.at(-1);
  if (!inside) return { error: `Must be ${range}` };
  if (control.name === 'S' && value > settings.L) {
    return { error: `The context includes the query tokens, so at most L = ${plainNumber(settings.L)}` };
  }
  if (control.name === 'H_kv' && settings.H % value) {
    return { error: `Must divide H = ${settings.H}: ${divisors(settings.H).join(', ')}` };
  }
  return { value };
}

function divisors(number) {
  return Array.from({ length: number }, (_, index) => index + 1).filter((divisor) => number % divisor === 0);
}

// The same settings with those changed that no longer go together, and what was changed.
function settled(settings) {
  const found = { ...settings };
  const notes = {};
  if (found.S > found.L) {
    found.S = found.L;
    notes.S = `Lowered to L = ${plainNumber(found.L)}, since the context includes the query tokens`;
  }
  if (found.H % found.H_kv) {
    const before = found.H_kv;
    found.H_kv = divisors(found.H).filter((divisor) => divisor <= before).at(-1);
    notes.H_kv = `Was ${before}, which does not divide H = ${found.H}`;
  }
  if (!CHOICES.compute(found).includes(found.compute)) {
    [found.compute] = CHOICES.compute(found);
  }
  return { settings: found, notes };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '?'; // no value of anything
  }
}

function fromHash(hash) {
  const found = { ...PAGE.start };
  const pairs = hash.length > LONGEST_HASH ? [] : hash.replace(/^#/, '').split('&').filter(Boolean);
  let refused = hash.length > LONGEST_HASH ? 1 : 0;
  const given = new Map(pairs.map((pair) => {
    const [name, ...rest] = pair.split('=');
    return [name, decoded(rest.join('='))];
  }));
  for (const name of Object.keys(CHOICES)) {
    if (!given.has(name)) continue;
    if (CHOICES[name](found).includes(given.get(name))) found[name] = given.get(name);
    else refused += 1;
    if (name === 'gpu' && !CHOICES.compute(found).includes(found.compute)) [found.compute] = CHOICES.compute(found);
  }
  for (const [name, text] of given) {
    if (name in CHOICES && Object.hasOwn(CHOICES, name)) continue;
    if (name === 'model') {
      if (PAGE.models.some((model) => model.name === text)) found.model = text;
      else if (text !== '') refused += 1;
      else found.model = '';
      continue;
    }
    const control = CONTROLS.get(name);
    const read = control ? readNumber(control, text, { L: Infinity, H: 0 }) : { error: '' };
    if ('value' in read) found[name] = read.value;
    else refused += 1;
  }
  return { ...settled(found), refused };
}

function toHash(settings) {
  const names = [...CONTROLS.keys(), ...Object.keys(CHOICES), 'model'];
  return `#${names.map((name) => `${name}=${encodeURIComponent(settings[name])}`).join('&')}`;
}

// The model whose sizes these are, the one chosen last where several have the same.
function modelOf(settings) {
  const fits = (model) => Object.entries(model.values).every(([name, value]) => settings[name] === value);
  const chosen = PAGE.models.find((model) => model.name === settings.model);
  if (chosen && fits(chosen)) return chosen;
  return PAGE.models.find(fits) ?? null;
}
