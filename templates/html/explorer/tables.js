// The numbers as a table, and the formulas they come from.

const freeWord = (free) => (free === null ? 'all' : free === 0 ? 'none' : `S ≤ ${plainNumber(free)}`);

const COLUMNS = [
  ['flops', 'FLOPs', (row) => withPrefix(row.flops, 'FLOP')],
  ['bytes', 'bytes moved', (row) => byteText(row.bytes)],
  ['intensity', 'FLOP/B', (row) => plainNumber(row.intensity)],
  ['waits', 'waits for', (row) => row.waits],
  ['time', 'time', (row) => seconds(row.time)],
  ['free', 'memory-bound up to', (row) => freeWord(row.free)],
  ['layer', 'kept, a layer and sequence', (row) => (row.layer === null ? '–' : byteText(row.layer))],
  ['cache', 'kept, whole batch and all layers', (row) => (row.cache === null ? '–' : byteText(row.cache))],
];

const INDEXER = { key: 'indexer', label: 'DSA’s indexer' };

function swatch(index) {
  const mark = element('span', { class: `swatch c${index}`, 'aria-hidden': 'true' });
  return mark;
}

function makeTable() {
  const body = document.getElementById('numbers');
  [...PAGE.rows, INDEXER].forEach(({ key, label }, index) => {
    const head = element('th', { scope: 'row', role: 'rowheader' }, ...(key === INDEXER.key ? [] : [swatch(index)]), label);
    const cells = COLUMNS.map(([quantity, title]) => element('td', {
      role: 'cell', 'data-title': title, 'data-row': key, 'data-quantity': quantity,
    }));
    body.append(element('tr', { id: `row-${key}`, role: 'row' }, head, ...cells));
  });
}

function showTable(numbers, settings) {
  const own = modelOf(settings)?.rows ?? [];
  const both = { ...numbers.rows, [INDEXER.key]: numbers.indexer };
  for (const cell of document.querySelectorAll('#numbers td')) {
    const row = both[cell.dataset.row];
    const [, , text] = COLUMNS.find(([name]) => name === cell.dataset.quantity);
    cell.textContent = text(row);
    cell.dataset.value = String(row[cell.dataset.quantity]);
  }
  for (const { key } of PAGE.rows) {
    document.getElementById(`row-${key}`).classList.toggle('own', own.includes(key));
  }
}

// Formulas of a row: what it is called, where it stands in the data, its number.
const FORMULAS = [
  ['flops', 'F', (row) => withPrefix(row.flops, 'FLOP')],
  ['bytes', 'M', (row) => byteText(row.bytes)],
  ['intensity', 'F / M', (row) => `${plainNumber(row.intensity)} FLOP/B`],
  ['layer', 'kept, a layer and sequence', (row) => byteText(row.layer)],
];

function formula(index) {
  return element('span', { class: 'formula', tabindex: 0 }, mathElement(PAGE.formulas[index]));
}

function definition(name, quantity, text) {
  const shown = quantity.m === undefined
    ? element('span', { class: 'note' }, 'a root of a quadratic equation') : formula(quantity.m);
  const line = element('dd', {}, shown);
  if (quantity.under !== undefined) {
    line.append(element('details', {}, element('summary', {}, 'D, under the root'), formula(quantity.under)));
  }
  line.append(element('span', { class: 'value' }, `= ${text}`));
  return [element('dt', {}, name), line];
}

// A formula that holds under conditions: its number where they do, the conditions where they do not.
function solved(name, solution, sizes) {
  const failing = solution.conditions.filter((one) => !(at(one, sizes) > 0));
  const [term, line] = definition(name, solution, plainNumber(at(solution, sizes)));
  if (failing.length) {
    line.lastChild.remove();
    const where = failing.every((one) => one.m !== undefined)
      ? ['only where ', ...failing.flatMap((one, index) => [index ? ' and ' : '', formula(one.m)])] : [];
    line.append(element('span', { class: 'value' }, ...where, where.length ? ', which' : 'which', ' does not hold here'));
  }
  return [term, line];
}

function ridgeLines(ridge, sizes) {
  const title = 'S at the ridge';
  if (ridge.why) return [element('dt', {}, title), element('dd', {}, `no closed form: ${ridge.why}`)];
  if (!ridge.solutions.length) return [element('dt', {}, title), element('dd', {}, 'there is none at any size')];
  return ridge.solutions.flatMap((solution) => solved(title, solution, sizes));
}

function showFormulas(numbers, settings) {
  const set = setOf(settings);
  const sizes = sizesOf(settings);
  const both = { ...numbers.rows, [INDEXER.key]: numbers.indexer };
  const blocks = [...PAGE.rows, INDEXER].map(({ key, label }) => {
    const quantities = key === INDEXER.key ? set.indexer : set.rows[key];
    const list = element('dl');
    for (const [name, title, text] of FORMULAS) {
      if (quantities[name]) list.append(...definition(title, quantities[name], text(both[key])));
    }
    if (quantities.ridge) list.append(...ridgeLines(quantities.ridge, sizes));
    return element('section', { class: 'formulas' }, element('h3', {}, label), list);
  });
  document.getElementById('formulas').replaceChildren(...blocks, crossingBlock(numbers, set.crossing, sizes));
}

function crossingBlock(numbers, crossing, sizes) {
  const list = element('dl');
  for (const name of crossing.names) {
    list.append(...definition(`F of ${name}, scope attention`, crossing.costs[name],
      withPrefix(numbers.crossing.costs[name], 'FLOP')));
  }
  for (const solution of crossing.solutions) {
    list.append(...solved('S*, where they cost the same', solution, sizes));
    if (solution.limit && solution.conditions.every((one) => at(one, sizes) > 0)) {
      list.append(...definition('S* for L to infinity', solution.limit, plainNumber(at(solution.limit, sizes))));
    }
  }
  return element('section', { class: 'formulas' }, element('h3', {}, 'MLA: absorb against expand'), list);
}
