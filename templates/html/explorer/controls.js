// Sliders with a field beside each, and lists to choose from.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Markup made by the engine when the page was built; nothing a user types comes here.
function mathElement(markup) {
  const holder = element('span', { class: 'math' });
  holder.innerHTML = markup;
  return holder;
}

const stopsOf = (control, settings) => (control.name === 'H_kv' ? divisors(settings.H) : control.stops);

function nearestStop(stops, value) {
  const high = stops.findIndex((stop) => stop >= value);
  if (high < 0) return stops.length - 1;
  return high > 0 && value - stops[high - 1] < stops[high] - value ? high - 1 : high;
}

function makeSlider(control, changed) {
  const { name } = control;
  const label = element('label', { for: `field-${name}`, id: `label-${name}` });
  label.append(mathElement(control.letter), ` ${control.meaning}`);
  const range = element('input', {
    type: 'range', id: `range-${name}`, min: 0, step: 1, 'aria-labelledby': `label-${name}`,
  });
  const field = element('input', {
    type: 'text', id: `field-${name}`, inputmode: 'numeric', autocomplete: 'off', spellcheck: 'false',
    maxlength: 16, 'aria-describedby': `note-${name}`,
  });
  const note = element('span', { class: 'note', id: `note-${name}`, role: 'status' });
  range.addEventListener('input', () => changed(name, stopsOf(control, current.settings)[Number(range.value)]));
  field.addEventListener('change', () => {
    const read = readNumber(control, field.value, current.settings);
    if ('value' in read) return changed(name, read.value);
    field.setAttribute('aria-invalid', 'true');
    note.textContent = `${read.error}; it stays ${plainNumber(current.settings[name])}.`;
    return undefined;
  });
  const box = element('div', { class: 'control' }, label, element('div', { class: 'pair' }, range, field), note);
  return { control, box, range, field, note };
}

function showSlider(slider, settings, notes) {
  const { control, range, field, note } = slider;
  const stops = stopsOf(control, settings);
  const value = settings[control.name];
  range.max = stops.length - 1;
  range.value = nearestStop(stops, value);
  range.setAttribute('aria-valuetext', `${plainNumber(value)} ${control.meaning}`);
  field.value = plainNumber(value);
  field.removeAttribute('aria-invalid');
  note.textContent = notes[control.name] ? `${notes[control.name]}.` : '';
}

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => {
    const option = element('option', { value });
    option.textContent = text;
    option.selected = value === chosen;
    return option;
  }));
}

function showChoices(settings) {
  const byId = (id) => document.getElementById(id);
  const model = modelOf(settings);
  const models = PAGE.models.map((one) => [one.name, one.title]);
  fill(byId('model'), model ? models : [...models, ['', 'sizes of your own']], model ? model.name : '');
  fill(byId('gpu'), PAGE.gpus.map((gpu) => [gpu.name, gpu.title]), settings.gpu);
  const peaks = Object.entries(gpuOf(settings).peaks);
  fill(byId('compute'), peaks.map(([kind, peak]) => [kind, `${kind.toUpperCase()}, ${peak.text}`]), settings.compute);
  for (const name of ['pairs', 'scope']) {
    fill(byId(name), CHOICES[name](settings).map((value) => [value, value]), settings[name]);
  }
  byId('model-note').textContent = model ? model.note : 'No model of the list has these sizes.';
}
