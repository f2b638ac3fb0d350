// Zoom, search and the width of the window. Without it the picture is complete.
(function () {
'use strict';
var svg = document.documentElement;
if (!svg || svg.localName !== 'svg') return;
var NS = 'http://www.w3.org/2000/svg', ROW = 19, MARGIN = 24, LETTER = 6.4;
var graph = svg.querySelector('[data-kind=graph]');
if (!graph) return;
// Boxes in the order of the file: parents before their children.
var boxes = [], open = [];
graph.querySelectorAll('rect').forEach(function (rect) {
  var lines = rect.firstElementChild.textContent.split('\n');
  var level = Math.round(rect.getAttribute('y') / ROW);
  var label = rect.nextElementSibling;
  var box = {
    rect: rect, level: level, name: lines[0], lines: lines, at: boxes.length,
    amount: lines[1].split(/[,:] /)[0],
    x: +rect.getAttribute('x'), w: +rect.getAttribute('width'),
    label: label && label.localName === 'text' ? label : null,
    parent: level ? open[level - 1] : null, seen: true
  };
  box.fill = rect.getAttribute('class').replace(' fl-w', '');
  box.bold = rect.classList[1].indexOf('fl-c-') === 0;
  rect.box = box;
  open[level] = box;
  boxes.push(box);
});
if (!boxes.length) return;
var root = boxes[0], zoomed = root, current = null, typed = null, found = '', width = 0;
// Widths of letters as the file was written with.
function letter(c) {
  if ("ijlftrI .,:;'|!/()[]-".indexOf(c) >= 0) return 4.6;
  if ('mwMW@%\u2026+<>=~\u2212'.indexOf(c) >= 0) return 11;
  if (c >= 'a' && c <= 'z') return 7.1;
  var code = c.codePointAt(0);
  return code < 128 ? 7.8 : code > 0x2e7f || code > 0x10ff && code < 0x1200 ? 14.2 : 7.1;
}
function pixels(text) {
  var sum = 0;
  for (var c of text) sum += letter(c);
  return sum;
}
function fitted(box, wide) {
  var most = (wide - 8) / (box.bold ? 1.1 : 1);
  if (most < 21.3) return '';
  var length = pixels(box.name);
  if (length + 4.6 + pixels(box.amount) <= most) return box.name + ' ' + box.amount;
  if (length <= most) return box.name;
  var cut = '';
  length = 11;
  for (var c of box.name) {
    length += letter(c);
    if (length > most) break;
    cut += c;
  }
  return cut + '\u2026';
}
function element(name, attributes, parent, text) {
  var made = document.createElementNS(NS, name);
  for (var key in attributes) made.setAttribute(key, attributes[key]);
  if (text) made.textContent = text;
  parent.appendChild(made);
  return made;
}
function isAbove(box, other) {
  while (other && other.level > box.level) other = other.parent;
  return other === box;
}
// Two lines above the boxes: what can be done, and what is pointed at.
var tools = element('g', { 'class': 'fl-flow', 'data-kind': 'tools', 'data-height': 40 }, svg);
svg.insertBefore(tools, graph);
var back = button('show all', function () { zoom(root); });
var search = button('search', function () {
  var asked = window.prompt('Search for a name:', found);
  if (asked !== null) seek(asked);
});
var hits = element('text', { 'class': 't2', y: 13 }, tools);
var status = element('text', { 'class': 't2', y: 31, 'aria-live': 'polite' }, tools);
var outline = element('rect', { 'class': 'fl-cur', height: 18, display: 'none' }, graph);
function button(words, act) {
  var made = element('text', { 'class': 'fl-b', y: 13, tabindex: 0, role: 'button' }, tools, words);
  made.addEventListener('click', act);
  made.addEventListener('keydown', function (event) {
    if (event.key === 'Enter' || event.key === ' ') { act(); event.preventDefault(); event.stopPropagation(); }
  });
  return made;
}
function draw() {
  var factor = width / zoomed.w;
  boxes.forEach(function (box) {
    var isOver = isAbove(box, zoomed), x, w;
    if (isOver) {
      x = 0;
      w = width;
    } else {
      x = (box.x - zoomed.x) * factor;
      w = box.w * factor;
    }
    box.seen = isOver || (w >= 0.2 && box.level > zoomed.level && x > -0.05 && x + w < width + 0.05);
    box.rect.setAttribute('display', box.seen ? 'inline' : 'none');
    var text = box.seen ? fitted(box, w) : '';
    if (text) {
      if (!box.label) {
        box.label = element('text', { 'class': 'fl-l', y: box.level * ROW + 13 }, graph);
        graph.insertBefore(box.label, box.rect.nextSibling);
      }
      box.label.textContent = text;
      box.label.setAttribute('x', (x + 5).toFixed(1));
      box.label.setAttribute('display', 'inline');
    } else if (box.label) {
      box.label.setAttribute('display', 'none');
    }
    if (!box.seen) {
      box.rect.removeAttribute('tabindex');
      return;
    }
    box.left = x;
    box.wide = w;
    box.rect.setAttribute('x', x.toFixed(3));
    box.rect.setAttribute('width', w.toFixed(3));
    box.rect.setAttribute('class', box.fill + (w >= 3 ? ' fl-w' : '') + (box.hit ? ' fl-hit' : ''));
    if (text) {
      box.rect.setAttribute('tabindex', 0);
      box.rect.setAttribute('role', 'button');
      box.rect.setAttribute('aria-label', box.lines.join(', '));
    } else {
      box.rect.removeAttribute('tabindex');
    }
  });
  mark(current && current.seen ? current : null);
  say();
}
function mark(box) {
  current = box;
  outline.setAttribute('display', box ? 'inline' : 'none');
  if (!box) return;
  outline.setAttribute('x', box.left.toFixed(1));
  outline.setAttribute('width', Math.max(box.wide, 1).toFixed(1));
  outline.setAttribute('y', box.level * ROW);
}
function shorten(element, words) {
  var most = Math.floor(width / LETTER);
  element.textContent = words.length > most ? words.slice(0, most - 1) + '\u2026' : words;
}
function say() {
  var isBack = zoomed !== root || found;
  back.setAttribute('display', isBack ? 'inline' : 'none');
  back.setAttribute('tabindex', isBack ? 0 : -1);
  search.setAttribute('x', isBack ? 66 : 0);
  hits.setAttribute('x', isBack ? 124 : 58);
  if (typed !== null) hits.textContent = typed + '\u258f' + (found ? ' ' + matched() : '');
  else if (found) hits.textContent = '\u201c' + found.slice(0, 24) + '\u201d: ' + matched();
  else hits.textContent = '';
  var hint = width < 600 ? '' : 'Click or Enter: zoom in \u00b7 Escape: back \u00b7 arrows: move \u00b7 /: search';
  shorten(status, current ? current.lines.join(' \u00b7 ') : zoomed !== root ? zoomed.lines.join(' \u00b7 ') : hint);
}
// A hit within a hit is not counted twice.
function matched() {
  var sum = 0, count = 0;
  boxes.forEach(function (box) {
    box.within = box.parent ? box.parent.within || box.parent.hit : false;
    if (box.hit) count += 1;
    if (box.hit && !box.within) sum += box.w;
  });
  var share = 100 * sum / root.w;
  return count + (count === 1 ? ' box, ' : ' boxes, ') + (share < 10 ? share.toFixed(1) : share.toFixed(0)) + ' %';
}
function seek(words) {
  found = words;
  var wanted = words.toLowerCase();
  boxes.forEach(function (box) { box.hit = !!wanted && box.name.toLowerCase().indexOf(wanted) >= 0; });
  svg.classList.toggle('fl-q', !!wanted);
  draw();
}
function zoom(box) {
  if (box === root) { found = ''; seek(''); }
  zoomed = box;
  draw();
}
function lay() {
  var all = Math.max(320, window.innerWidth || 1200), y = 14;
  width = all - 2 * MARGIN;
  svg.querySelectorAll('.fl-flow').forEach(function (part) {
    var kind = part.getAttribute('data-kind'), height = +part.getAttribute('data-height');
    if (kind === 'text') height = wrap(part.firstElementChild);
    if (kind === 'legend') height = flow(part);
    part.setAttribute('transform', 'translate(' + MARGIN + ' ' + y + ')');
    y += height + (kind === 'graph' ? 10 : 0);
  });
  // The paper fills the window.
  y = Math.max(y + 14, window.innerHeight || 0);
  svg.setAttribute('width', all);
  svg.setAttribute('height', y);
  svg.setAttribute('viewBox', '0 0 ' + all + ' ' + y);
  draw();
}
function wrap(text) {
  if (!text.words) {
    text.words = Array.from(text.children, function (line) { return line.textContent; }).join(' ').split(' ');
  }
  var line = +text.getAttribute('data-line'), y = 13 - line, span = null, held = '';
  text.textContent = '';
  text.words.forEach(function (word) {
    if (span) {
      span.textContent = held + ' ' + word;
      if (span.getComputedTextLength() <= width) { held += ' ' + word; return; }
      span.textContent = held;
    }
    y += line;
    held = word;
    span = element('tspan', { x: 0, y: y }, text, word);
  });
  return y - 13 + line;
}
function flow(part) {
  var x = 0, y = 15;
  Array.from(part.children, function (item) {
    var wide = 14 + item.lastElementChild.getComputedTextLength() + 18;
    if (x > 0 && x + wide - 18 > width) { x = 0; y += 18; }
    item.setAttribute('transform', 'translate(' + x + ' ' + y + ')');
    x += wide;
  });
  return y + 11;
}
function boxOf(target) {
  return target && target.box || null;
}
function neighbour(box, key) {
  if (key === 'ArrowUp') return box.parent;
  var same = boxes.filter(function (other) {
    return other.seen && other.rect.hasAttribute('tabindex') &&
      (key === 'ArrowDown' ? other.parent === box : other.level === box.level);
  });
  if (key === 'ArrowDown') return same[0];
  return same[same.indexOf(box) + (key === 'ArrowLeft' ? -1 : 1)];
}
graph.addEventListener('click', function (event) {
  var box = boxOf(event.target);
  if (box) zoom(box);
});
graph.addEventListener('mouseover', function (event) { mark(boxOf(event.target)); say(); });
graph.addEventListener('mouseleave', function () { mark(boxOf(document.activeElement)); say(); });
graph.addEventListener('focusin', function (event) { mark(boxOf(event.target)); say(); });
document.addEventListener('keydown', function (event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  var key = event.key;
  if (typed !== null) {
    if (key === 'Escape') { typed = null; seek(''); }
    else if (key === 'Enter') { typed = null; say(); }
    else if (key === 'Backspace') { typed = Array.from(typed).slice(0, -1).join(''); seek(typed); }
    else if (Array.from(key).length === 1) { typed += key; seek(typed); }
    else return;
    event.preventDefault();
    return;
  }
  var box = boxOf(document.activeElement);
  if (key === '/') { typed = ''; seek(''); }
  else if (key === 'Escape') {
    if (found) seek('');
    else zoom(zoomed.parent || root);
  } else if ((key === 'Enter' || key === ' ') && box) {
    zoom(box);
    box.rect.focus();
  } else if (key.indexOf('Arrow') === 0 && (box || key === 'ArrowDown')) {
    var next = box ? neighbour(box, key) : zoomed;
    if (next) next.rect.focus();
  } else return;
  event.preventDefault();
});
svg.setAttribute('role', 'group');
svg.classList.add('fl-live');
window.addEventListener('resize', lay);
lay();
})();
