"use strict";
(function () {
  var PAGE = 25, COLUMNS = ["id", "iteration", "island", "made", "loss", "valid", "test", "ms", "nodes", "status"];
  var root = document.documentElement, pack = null, rows = [], shown = [], page = 0, sort = { by: "loss", up: true };
  var numbers = new Map(), children = null;
  function by(id) { return document.getElementById(id); }
  function make(tag, text, kind) {
    var element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  }
  function digits(value) {
    if (value === null || value === undefined) return "\u2013";
    return Math.abs(value) >= 100 ? value.toPrecision(3) * 1 + "" : value.toFixed(2).replace("-0.00", "0.00");
  }
  function percent(value) { return value === null || value === undefined ? "\u2013" : digits(value) + " %"; }

  by("theme").addEventListener("click", function () {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  addEventListener("beforeprint", function () {
    document.querySelectorAll("details:not(.screen)").forEach(function (d) { d.open = true; });
  });

  // ---- the packed candidates
  async function unpack() {
    var text = by("pack").content.textContent.trim();
    var bytes = Uint8Array.from(atob(text), function (c) { return c.charCodeAt(0); });
    var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    pack = JSON.parse(await new Response(stream).text());
    var iteration = 0;
    for (var n = 0; n < pack.parents.length; n++) {
      iteration += pack.step[n];
      var id = pack.id.slice(n * pack.size, (n + 1) * pack.size);
      numbers.set(id.slice(0, 8), n);
      rows.push({
        n: n, id: id, iteration: iteration, island: pack.island[n], made: pack.made_names[pack.made[n]],
        loss: pack.loss[n], valid: value("valid", n), test: value("test", n), ms: pack.ms[n], nodes: pack.nodes[n],
        status: pack.status_names[pack.status[n]], elite: false,
      });
    }
    pack.elite.forEach(function (n) { rows[n].elite = true; });
  }
  function value(name, n) { return pack[name][n] === undefined ? null : pack[name][n]; }

  // ---- the list
  function refresh() {
    var words = by("words").value.toLowerCase(), status = by("status").value, island = by("island").value;
    var elites = by("elites").checked;
    shown = rows.filter(function (row) {
      if (elites && !row.elite) return false;
      if (status && row.status !== status) return false;
      if (island && String(row.island) !== island) return false;
      if (!words) return true;
      var texts = pack.texts[row.n] || ["", ""];
      return (row.id + " " + row.made + " " + texts[1] + "\n" + texts[0]).toLowerCase().includes(words);
    });
    var key = sort.by, way = sort.up ? 1 : -1;
    shown.sort(function (a, b) {
      var x = a[key], y = b[key];
      if (x === null || y === null) return x === y ? a.n - b.n : x === null ? 1 : -1;
      return x < y ? -way : x > y ? way : a.n - b.n;
    });
    page = 0;
    draw();
  }
  function draw() {
    var body = by("list"), last = Math.max(0, Math.ceil(shown.length / PAGE) - 1);
    page = Math.min(page, last);
    body.replaceChildren.apply(body, shown.slice(page * PAGE, (page + 1) * PAGE).map(line));
    by("where").textContent = shown.length
      ? (page * PAGE + 1) + "\u2013" + Math.min(shown.length, (page + 1) * PAGE) + " of " + shown.length.toLocaleString("en") + " candidates"
      : "no candidate fits";
    by("back").disabled = page === 0;
    by("next").disabled = page === last;
    document.querySelectorAll("#every th[data-key]").forEach(function (th) {
      if (th.dataset.key === sort.by) th.setAttribute("aria-sort", sort.up ? "ascending" : "descending");
      else th.removeAttribute("aria-sort");
    });
  }
  function line(row) {
    var tr = make("tr");
    if (row.n === pack.best) tr.className = "best";
    COLUMNS.forEach(function (key) {
      var cell = make(key === "id" ? "th" : "td");
      if (key === "id") { cell.scope = "row"; cell.append(link(row.n)); }
      else if (key === "loss" || key === "valid" || key === "test") cell.textContent = digits(row[key]);
      else if (key === "ms") cell.textContent = row.ms === null ? "\u2013" : row.ms.toPrecision(2) * 1;
      else cell.textContent = row[key] === null ? "\u2013" : row[key];
      if (key === "made" || key === "status") cell.className = "text";
      if (["island", "ms", "nodes", "valid", "status"].includes(key)) cell.classList.add("wide");
      tr.append(cell);
    });
    return tr;
  }
  function link(n) {
    var a = make("a", rows[n].id.slice(0, 8));
    a.href = "#c-" + rows[n].id.slice(0, 8);
    return a;
  }
  function list() {
    function options(select, values) {
      values.forEach(function (v) { var o = make("option", v); o.value = v; select.append(o); });
    }
    options(by("status"), pack.status_names);
    options(by("island"), [...new Set(pack.island)].sort(function (a, b) { return a - b; }));
    ["status", "island", "elites"].forEach(function (id) { by(id).addEventListener("change", refresh); });
    var timer;
    by("words").addEventListener("input", function () { clearTimeout(timer); timer = setTimeout(refresh, 150); });
    by("filter").addEventListener("submit", function (e) { e.preventDefault(); refresh(); });
    by("back").addEventListener("click", function () { page -= 1; draw(); });
    by("next").addEventListener("click", function () { page += 1; draw(); });
    document.querySelectorAll("#every th[data-key]").forEach(function (th) {
      var button = make("button", th.textContent);
      button.type = "button";
      th.replaceChildren(button);
      button.addEventListener("click", function () {
        sort = { by: th.dataset.key, up: sort.by === th.dataset.key ? !sort.up : true };
        refresh();
      });
    });
    by("filter").hidden = by("pager").hidden = false;
    refresh();
  }

  // ---- one candidate
  function difference(a, b) {
    a = a.split("\n"); b = b.split("\n");
    if (a.length * b.length > 4e6) return null;
    var width = b.length + 1, most = new Uint16Array((a.length + 1) * width), i, j;
    for (i = a.length - 1; i >= 0; i--) for (j = b.length - 1; j >= 0; j--)
      most[i * width + j] = a[i] === b[j] ? most[(i + 1) * width + j + 1] + 1 : Math.max(most[(i + 1) * width + j], most[i * width + j + 1]);
    var lines = [];
    for (i = 0, j = 0; i < a.length || j < b.length;) {
      if (i < a.length && j < b.length && a[i] === b[j]) { lines.push([" ", a[i]]); i++; j++; }
      else if (j >= b.length || (i < a.length && most[(i + 1) * width + j] >= most[i * width + j + 1])) lines.push(["-", a[i++]]);
      else lines.push(["+", b[j++]]);
    }
    return lines;
  }
  function code(text) {
    var pre = make("pre"); pre.tabIndex = 0; pre.append(make("code", text)); return pre;
  }
  function changes(lines) {
    var pre = make("pre"), near = new Set();
    pre.tabIndex = 0;
    lines.forEach(function (l, n) { if (l[0] !== " ") for (var k = -2; k <= 2; k++) near.add(n + k); });
    var gap = false;
    lines.forEach(function (l, n) {
      if (near.has(n)) { pre.append(l[0] === " " ? "  " + l[1] + "\n" : make("span", l[0] + " " + l[1], l[0] === "+" ? "a" : "d")); gap = false; }
      else if (!gap) { pre.append(make("span", "\u2026", "g")); gap = true; }
    });
    return pre;
  }
  function metrics(lines) {
    // What the task's own evaluator measured: a name and the three splits, mean (least to most).
    var table = make("table"), body = make("tbody"), box = make("div", "", "scroll"), head = make("tr");
    ["metric, mean (least to most)", "training", "validation", "test"].forEach(function (t) { head.append(make("th", t)); });
    lines.forEach(function (l) { var tr = make("tr"); l.forEach(function (t, k) { tr.append(make(k ? "td" : "th", t)); }); body.append(tr); });
    var top = make("thead"); top.append(head); table.append(top, body);
    box.tabIndex = 0; box.append(table);
    return box;
  }
  function family(n) {
    if (!children) {
      children = new Map();
      pack.parents.forEach(function (p, m) { if (p.length) { if (!children.has(p[0])) children.set(p[0], []); children.get(p[0]).push(m); } });
    }
    return children.get(n) || [];
  }
  function branch(n, depth) {
    // A row of the tree: the candidate, and its children on demand.
    var item = make("li"), own = family(n), head = make("span");
    head.append(link(n), " " + rows[n].made + ", loss " + percent(rows[n].loss) + (rows[n].elite ? ", elite" : ""));
    if (!own.length) { item.append(head); return item; }
    var d = make("details"), s = make("summary");
    s.append(head, " (" + own.length + (own.length === 1 ? " child)" : " children)"));
    d.append(s);
    d.addEventListener("toggle", function () {
      if (d.open && d.childElementCount === 1) d.append(branches(own, depth + 1));
    });
    item.append(d);
    return item;
  }
  function branches(members, depth) {
    var ul = make("ul"), most = 50;
    members.slice().sort(function (a, b) { return order(a) - order(b); }).slice(0, most).forEach(function (m) { ul.append(branch(m, depth)); });
    if (members.length > most) ul.append(make("li", "and " + (members.length - most) + " more, with larger losses"));
    return ul;
  }
  function order(n) { return rows[n].loss === null ? Infinity : rows[n].loss; }
  function show(n) {
    var row = rows[n], box = by("candidate-body"), texts = pack.texts[n];
    box.replaceChildren();
    by("candidate-title").textContent = "Candidate " + row.id.slice(0, 8);
    var facts = "Iteration " + row.iteration + ", " + row.made + ", island " + row.island + ", " + row.status +
      (row.elite ? ", elite" : "") + (n === pack.best ? ", the best candidate" : "") + ". Training loss " + percent(row.loss) +
      (row.valid === null ? "" : ", validation " + percent(row.valid)) + (row.test === null ? "" : ", test " + percent(row.test)) +
      (row.ms === null ? "" : "; " + row.ms.toPrecision(2) * 1 + " ms of CPU time per execution") + "; " + row.nodes + " nodes.";
    box.append(make("p", facts));
    if (texts && texts[1]) box.append(make("p", texts[1], "soft"));
    if (texts && texts[2].length) box.append(make("h3", "Reported metrics (unverified)"), metrics(texts[2]));
    var line = [], at = n;
    while (pack.parents[at].length && line.length < 400) { at = pack.parents[at][0]; line.push(at); }
    if (line.length) {
      var p = make("p", "Ancestors, the parent first: ");
      line.slice(0, 12).forEach(function (m, k) { if (k) p.append(", "); p.append(link(m), " (" + percent(rows[m].loss) + ")"); });
      if (line.length > 12) p.append(", and " + (line.length - 12) + " more");
      box.append(p);
    }
    var others = pack.parents[n].slice(1);
    if (others.length) { var q = make("p", "Also made from: "); others.forEach(function (m, k) { if (k) q.append(", "); q.append(link(m)); }); box.append(q); }
    var own = family(n);
    if (own.length) {
      var d = make("details"); d.append(make("summary", own.length + (own.length === 1 ? " child" : " children")), branches(own, 0)); box.append(d);
    }
    if (!texts) {
      box.append(make("p", "This page has no room for its text: gapsmith show RUN " + row.id.slice(0, 8) + " prints it.", "soft"));
    } else {
      var before = line.length ? pack.texts[line[0]] : null, lines = before && difference(before[0], texts[0]);
      if (lines && lines.some(function (l) { return l[0] !== " "; })) { box.append(make("h3", "Changes to the parent"), changes(lines)); }
      box.append(make("h3", "Source"), code(texts[0]));
    }
    var dialog = by("candidate");
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  }
  function open() {
    var name = decodeURIComponent(location.hash.slice(1));
    if (name.startsWith("c-") && pack) {
      var n = numbers.get(name.slice(2, 10));
      if (n !== undefined) { show(n); return; }
    }
    if (by("candidate").open) by("candidate").close();
  }
  function forget() {
    if (location.hash.startsWith("#c-")) history.replaceState(null, "", location.pathname + location.search);
  }
  by("candidate").addEventListener("cancel", forget);
  by("close").addEventListener("click", function () { by("candidate").close(); forget(); });
  addEventListener("hashchange", open);

  unpack().then(function () {
    list();
    by("tree").replaceChildren(branches(rows.filter(function (r) { return !pack.parents[r.n].length; }).map(function (r) { return r.n; }), 0));
    document.body.dataset.ready = "yes";
    open();
  }).catch(function (error) {
    by("where").textContent = "This browser cannot unpack the candidates: " + error;
    by("pager").hidden = false;
    document.body.dataset.ready = "no";
  });
})();
