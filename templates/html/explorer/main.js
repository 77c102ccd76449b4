// The page itself: settings to numbers to what is shown.

const current = { settings: null };
const sliders = [];

function change(name, value) {
  const { settings, notes } = settled({ ...current.settings, [name]: value });
  show(settings, notes);
}

function chooseModel(name) {
  const model = PAGE.models.find((one) => one.name === name);
  if (!model) return;
  const { settings, notes } = settled({ ...current.settings, ...model.values, model: name });
  show(settings, notes);
}

function crossingText(numbers) {
  const { meets, everywhere } = numbers.crossing;
  if (!meets.length) {
    return everywhere ? `MLA: ${everywhere} costs fewer FLOPs at every S.` : 'MLA: both orders cost the same.';
  }
  return meets.map(({ at: place, below, above }) => {
    const last = Math.ceil(place) - 1;
    const star = `S* = ${plainNumber(place)}`;
    if (last < 1) return `${star}: ${above} costs fewer FLOPs at every whole S.`;
    return `${star}: ${below} costs fewer FLOPs up to S = ${plainNumber(last)}, ${above} above.`;
  }).join(' ');
}

function boundText(numbers) {
  const names = (what) => PAGE.rows.filter(({ key }) => numbers.rows[key].waits === what).map((row) => row.label);
  const [memory, arithmetic] = [names('memory'), names('arithmetic')];
  const parts = [];
  if (memory.length) parts.push(`Left of the ridge, waiting for memory: ${listed(memory)}.`);
  if (arithmetic.length) parts.push(`Right of it, waiting for arithmetic: ${listed(arithmetic)}.`);
  return parts.join(' ');
}

function freeText(numbers) {
  const parts = PAGE.rows.map(({ key, label }) => {
    const { free } = numbers.rows[key];
    return `${label} ${freeWord(free)}`;
  });
  return `Waiting for memory up to: ${parts.join('; ')}. Up to there a line is flat, unless its bytes grow with S.`;
}

function cacheText(numbers, settings) {
  const parts = PAGE.rows.filter(({ key }) => key !== 'expand').map(({ key, label }) =>
    `${label.replace(' (absorb)', '')} ${byteText(numbers.rows[key].cache)}`);
  const batch = settings.B === 1 ? 'one sequence' : `${plainNumber(settings.B)} sequences`;
  return `At L = ${plainNumber(settings.L)}, ${batch} and ${settings.layers} layers, on one rank: ${parts.join('; ')}.`;
}

let speaking = 0;

function showTexts(numbers, settings) {
  const gpu = gpuOf(settings);
  const ridge = `${gpu.title}: ${gpu.peaks[settings.compute].text} ${settings.compute.toUpperCase()} over `
    + `${gpu.bandwidth.text} is a ridge of ${plainNumber(numbers.ridge)} FLOP/B.`;
  const texts = {
    roofline: `${ridge} ${boundText(numbers)}`,
    orders: crossingText(numbers),
    times: freeText(numbers),
    cache: cacheText(numbers, settings),
  };
  for (const [name, text] of Object.entries(texts)) document.getElementById(`text-${name}`).textContent = text;
  clearTimeout(speaking); // a screen reader hears where a slider stopped, not every step of it
  speaking = setTimeout(() => {
    document.getElementById('summary').textContent = `${crossingText(numbers)} ${ridge} ${boundText(numbers)}`;
  }, 300);
}

function show(settings, notes = {}, afresh = false) {
  current.settings = settings;
  const numbers = numbersAt(settings);
  for (const slider of sliders) showSlider(slider, settings, notes);
  showChoices(settings);
  showTable(numbers, settings);
  showFormulas(numbers, settings);
  showTexts(numbers, settings);
  keepHash(settings);
  document.documentElement.dataset.crossing = String(numbers.crossing.meets[0]?.at ?? null);
  return showFigures(numbers, settings, afresh);
}

let keeping = 0;
let seen = '';

function keepHash(settings) {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    if (location.hash !== seen) return; // another link was followed meanwhile, and is about to be read
    history.replaceState(null, '', toHash(settings));
    seen = location.hash;
  }, 200);
}

function open() {
  seen = location.hash;
  const { settings, notes, refused } = fromHash(location.hash);
  const said = refused === 1 ? ['One setting', 'is left out'] : [`${refused} settings`, 'are left out'];
  document.getElementById('link-note').textContent = refused
    ? `${said[0]} of the link could not be used and ${said[1]}.` : '';
  return show(settings, notes);
}

function start() {
  const holder = document.getElementById('sliders');
  const unfolded = matchMedia('(min-width: 60rem)').matches ? 3 : 1;
  PAGE.groups.forEach((group, index) => {
    const box = element('details', index < unfolded ? { open: '' } : {}, element('summary', {}, group));
    for (const control of PAGE.controls.filter((one) => one.group === group)) {
      const slider = makeSlider(control, change);
      sliders.push(slider);
      box.append(slider.box);
    }
    holder.append(box);
  });
  makeTable();
  document.getElementById('model').addEventListener('change', (event) => chooseModel(event.target.value));
  for (const name of Object.keys(CHOICES)) {
    document.getElementById(name).addEventListener('change', (event) => change(name, event.target.value));
  }
  document.getElementById('reset').addEventListener('click', () => {
    document.getElementById('link-note').textContent = '';
    show({ ...PAGE.start });
  });
  const again = () => showFigures(numbersAt(current.settings), current.settings, true);
  dark.addEventListener('change', again);
  let width = innerWidth;
  let resizing = 0;
  addEventListener('resize', () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(resizing);
    resizing = setTimeout(again, 150);
  });
  addEventListener('hashchange', open);
  window.derive = {
    numbers: (settings = {}) => numbersAt({ ...current.settings, ...settings }),
    settings: () => ({ ...current.settings }),
    drawn: () => drawing,
  };
  open();
}

start();
