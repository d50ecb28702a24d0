"use strict";
(function () {
  // Every text of a record goes into a page by textContent or as an attribute of a picture, never as markup.
  var SVG = "http://www.w3.org/2000/svg", DASH = "\u2013";
  function by(id) { return document.getElementById(id); }
  function make(tag, text, kind) {
    var e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (kind) e.className = kind;
    return e;
  }
  function shape(tag, attributes, text) {
    var e = document.createElementNS(SVG, tag);
    Object.keys(attributes).forEach(function (k) { e.setAttribute(k, attributes[k]); });
    if (text !== undefined) e.textContent = text;
    return e;
  }
  function fill(e, parts) { e.replaceChildren.apply(e, parts); }
  function none(v) { return v === null || v === undefined; }
  function percent(v) { return none(v) ? DASH : v.toFixed(Math.abs(v) < 100 ? 2 : 0).replace("-0.00", "0.00") + " %"; }
  function time(seconds) {
    if (none(seconds)) return DASH;
    if (seconds < 1) return +(1000 * seconds).toPrecision(3) + " ms";
    if (seconds < 120) return +seconds.toPrecision(3) + " s";
    return seconds < 7200 ? (seconds / 60).toFixed(0) + " min" : (seconds / 3600).toFixed(1) + " h";
  }
  function number(v) { return none(v) ? DASH : v.toLocaleString("en"); }
  function row(cells, kinds) {
    var tr = make("tr");
    cells.forEach(function (cell, n) {
      var e = make(n ? "td" : "th", undefined, (kinds || [])[n]);
      if (!n) e.scope = "row";
      e.append(none(cell) ? DASH : cell);
      tr.append(e);
    });
    return tr;
  }
  function rows(body, lines, kinds) { fill(body, lines.map(function (cells) { return row(cells, kinds); })); }
  function head(body, titles, texts) {
    var tr = make("tr");
    titles.forEach(function (t, n) { var e = make("th", t, (texts || [])[n]); e.scope = "col"; tr.append(e); });
    fill(body, [tr]);
  }
  async function get(address) {
    var answer = await fetch(address, { cache: "no-store" });
    if (!answer.ok && answer.status !== 503) return null;
    return answer.json();
  }

  // Charts: uPlot draws, a description stands for the picture where nobody sees the picture.
  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }
  function axis(label, values) {
    var grid = { stroke: colour("grid"), width: 1 };
    return { label: label, stroke: colour("ink"), grid: grid, ticks: grid, font: "12px system-ui", labelFont: "13px system-ui", labelSize: 22, values: values, filter: function (u, splits) { return splits; } };
  }
  var drawn = {};
  function chart(id, words, options, data) {
    var place = by(id), width = Math.max(260, place.clientWidth);
    if (drawn[id]) drawn[id].destroy();
    place.replaceChildren();
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", words);
    drawn[id] = new uPlot(Object.assign({ width: width, height: 260, legend: { show: false } }, options), data, place);
    return drawn[id];
  }
  function empty(id, words) {
    if (drawn[id]) { drawn[id].destroy(); delete drawn[id]; }
    by(id).removeAttribute("role");
    fill(by(id), [make("p", words, "soft")]);
  }
  function decades(low, high, most) {
    var found = [], n = Math.floor(Math.log10(low));
    for (; Math.pow(10, n) <= high; n++) [1, 2, 5].forEach(function (m) { found.push([+(m * Math.pow(10, n)).toPrecision(1), m]); });
    found = found.filter(function (f) { return f[0] >= low && f[0] <= high; });
    if (found.length > most) found = found.filter(function (f) { return f[1] === 1; });
    return found.map(function (f) { return f[0]; });
  }
  // From 0 as far as the least positive value the scale is linear, above logarithmic: a proven optimum is 0.
  function lossScale(values) {
    var positive = values.filter(function (v) { return v > 0; }), least = positive.length ? Math.min.apply(null, positive) : 1, most = Math.max.apply(null, values.concat([0]));
    var low = Math.min.apply(null, values);
    if (low < 0 || most < 10 * least) return { range: [Math.min(0, low) * 1.05, most * 1.08 || 1] };
    if (low > 0) return { distr: 3, range: [least / 1.4, most * 1.3] };
    return { distr: 4, asinh: Math.max(least / 2, most / 5000), range: [0, most * 1.3] };
  }
  function lossAxis(label, scale) {
    var found = axis(label, function (u, splits) { return splits.map(function (v) { return +v.toPrecision(3) + " %"; }); });
    found.size = 62;
    if (scale.distr) found.splits = function (u, n, low, high) { return (scale.distr === 4 ? [0] : []).concat(decades(scale.asinh || low, high, 7)); };
    return found;
  }

  // One run.
  var now = null, facts = null, points = [], page = { before: "", kind: "all", text: "" }, reported = false;
  function lossName() { return reported ? "minus the change (%)" : "training loss (%)"; }
  function curve() {
    if (!now) return;
    var shown = points.filter(function (p) { return p[2] !== null; });
    if (!shown.length) { empty("curve", "nothing evaluated yet"); return; }
    var best = [], low = Infinity, bestIds = [], id = "";
    shown.forEach(function (p) { if (p[2] < low) { low = p[2]; id = p[1]; } best.push(low); bestIds.push(id); });
    var start = now.marks.filter(function (m) { return m.name === "start program"; })[0];
    var rival = now.marks.filter(function (m) { return m.name !== "start program"; }).sort(function (a, b) { return a.loss_percent - b.loss_percent; })[0];
    var marks = [start, rival].filter(Boolean), ceiling = 3 * Math.max.apply(null, best.concat(marks.map(function (m) { return m.loss_percent; })));
    var dots = shown.map(function (p) { return p[2] > ceiling && ceiling > 0 ? null : p[2]; });
    var scale = lossScale(best.concat(dots.filter(function (v) { return v !== null; }), marks.map(function (m) { return m.loss_percent; })));
    var words = "Best training loss from " + percent(best[0]) + " to " + percent(low) + " over " + now.iterations + " iterations" +
      marks.map(function (m) { return "; " + (m === rival ? "best baseline " : "") + m.name + " " + percent(m.loss_percent); }).join("");
    if (shown[shown.length - 1][0] < now.iterations) { shown.push([now.iterations, null]); best.push(low); bestIds.push(id); dots.push(null); }
    var data = [shown.map(function (p) { return p[0]; }), dots, best];
    var series = [{}, { stroke: colour("other"), paths: function () { return null; }, points: { show: true, size: 4, fill: colour("other"), stroke: colour("other") } },
      { stroke: colour("best"), width: 2.5, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }];
    marks.forEach(function (m) { data.push(shown.map(function () { return m.loss_percent; })); series.push({ stroke: colour(m === rival ? "mark" : "soft"), width: 1.5, dash: [6, 4], points: { show: false } }); });
    chart("curve", words, {
      scales: { x: { time: false, range: [Math.min(0, data[0][0]), Math.max(data[0][data[0].length - 1], now.iterations, 1)] }, y: scale },
      series: series,
      axes: [axis("iteration"), lossAxis(lossName(), scale)],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
      hooks: {
        draw: [function (u) { marks.forEach(function (m) { write(u, (m === rival ? "best baseline: " : "") + m.name + " " + percent(m.loss_percent), u.bbox.left + u.bbox.width - 6 * devicePixelRatio, u.valToPos(m.loss_percent, "y", true) - 5 * devicePixelRatio, "right", m === rival ? "mark" : "soft"); }); }],
        setCursor: [function (u) {
          var p = none(u.cursor.idx) ? null : shown[u.cursor.idx];
          if (p && p[1]) by("hover").textContent = "Iteration " + p[0] + ": candidate " + p[1] + ", " + percent(p[2]) + (p[3] > 1 ? ", the best of " + p[3] : "") + ". Best so far " + percent(best[u.cursor.idx]) + " (" + bestIds[u.cursor.idx] + ").";
        }],
        ready: [function (u) { u.over.addEventListener("click", function () { if (!none(u.cursor.idx) && shown[u.cursor.idx][1]) open(shown[u.cursor.idx][1]); }); }],
      },
    }, data);
  }
  function write(u, text, x, y, align, name) {
    var c = u.ctx;
    c.save();
    c.font = 12 * devicePixelRatio + "px system-ui, sans-serif";
    c.textAlign = align;
    c.lineWidth = 4 * devicePixelRatio;
    c.strokeStyle = colour("page");
    c.fillStyle = colour(name);
    c.strokeText(text, x, y);
    c.fillText(text, x, y);
    var width = c.measureText(text).width;
    c.restore();
    return width;
  }
  var LOOKS = { other: ["other", 3], baseline: ["mark", 5], class: ["best", 5], solver: ["exact", 5], exact: ["exact", 6], best: ["best", 7] };
  function times() {
    var found = facts ? facts.times.filter(function (p) { return p.gap !== null; }) : [];
    fill(by("times-legend"), []);
    if (!found.length) { empty("times", reported ? "an evaluator's time is not a program's" : "no program is valid on validation yet"); return; }
    var main = found.filter(function (p) { return p.kind !== "other"; }), gaps = main.map(function (p) { return p.gap; });
    gaps = gaps.filter(function (g) { return g > 0; }).sort(function (a, b) { return a - b; });
    var most = gaps.length ? 4 * gaps[gaps.length >> 1] : Infinity, far = main.filter(function (p) { return p.gap > most; });
    main = main.filter(function (p) { return p.gap <= most; });
    found = found.filter(function (p) { return p.gap <= most; });  // one useless baseline would press all others together
    found.sort(function (a, b) { return a.seconds - b.seconds; });
    var x = found.map(function (p) { return 1000 * Math.max(p.seconds, 1e-5); }), y = found.map(function (p) { return p.gap; });
    var scale = lossScale(y);
    var words = "Gap against CPU time: " + main.map(function (p) { return p.name + " " + percent(p.gap) + " in " + time(p.seconds); }).join("; ");
    var kinds = Object.keys(LOOKS).filter(function (k) { return found.some(function (p) { return p.kind === k; }); });
    var NAMES = { other: "validated candidate", baseline: "baseline", class: "best of its time class", solver: "solver, stopped early", exact: "exact method (wall time)", best: "best candidate" };
    fill(by("times-legend"), kinds.map(function (k) { var s = make("span"); s.append(make("i", "", "key " + (k === "solver" ? "exact" : k)), NAMES[k]); return s; })
      .concat(far.length ? [make("span", far.length + " beyond " + percent(most) + " not drawn")] : []));
    chart("times", words, {
      scales: { x: { time: false, distr: 3, range: [x[0] / 1.6, x[x.length - 1] * 2.2] }, y: scale },
      series: [{}, { paths: function () { return null; }, points: { show: false } }],
      axes: [Object.assign(axis("CPU time of an instance, mean", function (u, s) { return s.map(function (v) { return time(v / 1000); }); }), { splits: function (u, n, low, high) { return decades(low, high, 6); } }), lossAxis("mean gap (%)", scale)],
      cursor: { y: true, drag: { x: false, y: false }, points: { show: false } },
      hooks: { draw: [function (u) { dots(u, found); }] },
    }, [x, y]);
  }
  function dots(u, found) {
    var c = u.ctx, r = devicePixelRatio, taken = [], order = Object.keys(LOOKS);
    var placed = found.map(function (p) { return { p: p, x: u.valToPos(1000 * Math.max(p.seconds, 1e-5), "x", true), y: u.valToPos(p.gap, "y", true) }; });
    placed.sort(function (a, b) { return order.indexOf(a.p.kind) - order.indexOf(b.p.kind); });
    placed.forEach(function (d) {
      var look = LOOKS[d.p.kind];
      c.save();
      c.beginPath();
      if (d.p.kind === "exact" || d.p.kind === "solver") c.rect(d.x - look[1] * r, d.y - look[1] * r, 2 * look[1] * r, 2 * look[1] * r);
      else c.arc(d.x, d.y, look[1] * r, 0, 7);
      c.globalAlpha = d.p.kind === "other" ? .45 : 1;
      c.fillStyle = d.p.kind === "class" ? colour("page") : colour(look[0]);
      c.strokeStyle = colour(look[0]);
      c.lineWidth = 2 * r;
      c.fill();
      if (d.p.kind !== "other") c.stroke();
      c.restore();
    });
    placed.reverse().forEach(function (d) {
      if (d.p.kind === "other") return;
      var text = (d.p.kind === "best" ? "best " : "") + d.p.name + " " + percent(d.p.gap), wide = 7 * r * text.length;
      [[10, 4, "left"], [-10, 4, "right"], [0, -11, "center"], [0, 19, "center"], [8, -11, "right"], [8, 19, "right"], [-8, -11, "left"], [-8, 19, "left"]].some(function (at) {
        var x = d.x + at[0] * r, y = d.y + at[1] * r, from = at[2] === "left" ? x : at[2] === "right" ? x - wide : x - wide / 2;
        var bad = from < u.bbox.left || from + wide > u.bbox.left + u.bbox.width || y < u.bbox.top || y > u.bbox.top + u.bbox.height + 6 * r ||
          taken.some(function (t) { return t[0] < from + wide && from < t[1] && Math.abs(t[2] - y) < 14 * r; }) ||
          placed.some(function (o) { return o !== d && o.p.kind !== "other" && o.x > from && o.x < from + wide && Math.abs(o.y + 4 * r - y) < 9 * r; });
        if (bad) return false;
        taken.push([from, from + wide, y]);
        write(u, text, x, y, at[2], LOOKS[d.p.kind][0]);
        return true;
      });
    });
  }
  function tree() {
    var nodes = facts.tree, place = {}, depth = {}, kids = {}, next = 0, deepest = 0;
    if (nodes.length < 2) { fill(by("tree"), [make("p", "no family yet", "soft")]); return; }
    nodes.forEach(function (n) { (kids[n.parent] = kids[n.parent] || []).push(n); });
    function layout(n, d) {  // leaves take rows, a parent stands beside its first child
      depth[n.id] = d;
      deepest = Math.max(deepest, d);
      var own = (kids[n.id] || []).slice().sort(function (a, b) { return b.line - a.line; });
      if (!own.length) { place[n.id] = next++; return; }
      own.forEach(function (k) { layout(k, d + 1); });
      place[n.id] = place[own[0].id];
    }
    (kids[null] || []).forEach(function (n) { layout(n, 0); });
    var wide = Math.max(14, Math.min(70, (by("tree").clientWidth - 190) / Math.max(deepest, 1))), tall = 20;
    var svg = shape("svg", { width: 20 + deepest * wide + 170, height: next * tall + 12, role: "group", "aria-label": nodes.length + " candidates, the best ones and their ancestors" });
    nodes.forEach(function (n) {
      if (!(n.parent in place)) return;
      var x = 10 + depth[n.parent] * wide, y = 12 + place[n.parent] * tall, a = 10 + depth[n.id] * wide, b = 12 + place[n.id] * tall;
      svg.append(shape("path", { d: "M" + x + " " + y + "C" + (x + wide / 2) + " " + y + " " + (x + wide / 2) + " " + b + " " + a + " " + b, class: n.line ? "edge line" : "edge" }));
    });
    nodes.forEach(function (n) {
      var a = shape("a", { href: "#", class: n.line ? "line" : "", "aria-label": n.id + " " + percent(n.loss_percent) + " training loss, iteration " + n.iteration });
      var x = 10 + depth[n.id] * wide, y = 12 + place[n.id] * tall;
      a.append(shape("circle", { cx: x, cy: y, r: 5 }), shape("title", {}, n.id + ", iteration " + n.iteration + ", " + percent(n.loss_percent)));
      if (!kids[n.id]) a.append(shape("text", { x: x + 9, y: y + 4 }, n.id + " " + percent(n.loss_percent)));
      a.addEventListener("click", function (event) { event.preventDefault(); open(n.id); });
      svg.append(a);
    });
    fill(by("tree"), [svg]);
  }
  function live() {
    reported = now.trust === "reported";
    by("times-section").hidden = reported;
    if (!reported) {
      by("times-title").textContent = "Gap against CPU time";
      by("times-words").textContent = "Mean gap on validation; lower and further left is better.";
    }
    var score = now.best_reported_score;
    by("state").textContent = now.status + (now.stop_reason && now.stop_reason !== now.status ? " (" + now.stop_reason + ")" : "") + ": best candidate " +
      (now.best ? now.best.slice(0, 8) : "none yet") + (reported
        ? ", reported score " + (none(score) ? DASH : +score.toPrecision(5)) + " on validation (unverified)"
        : ", mean gap on validation " + percent(now.best_gap_percent));
    by("numbers").textContent = reported ? now.loss_words : "Mean training loss, percent of max(|reference|, scale); lower is better.";
    rows(by("islands"), now.islands.map(function (i) { return [String(i.island), number(i.candidates), percent(i.training_loss_percent)]; }));
    rows(by("spent"), [
      ["iterations", number(now.iterations)], ["candidates evaluated", number(now.evaluations)], ["executions", number(now.executions)],
      ["CPU seconds that the budget counts", number(+now.cpu_seconds.toPrecision(4))], ["wall seconds", none(now.wall_seconds) ? DASH : now.wall_seconds.toFixed(0)],
      ["calls of models", number(now.model_calls)], ["tokens", number(now.tokens)],
      ["US dollars", none(now.cost_usd) ? "not known" : now.cost_usd.toFixed(4)],
      ["budget", now.budget_words],
    ].concat(facts ? facts.uses.map(function (u) { return ["CPU seconds: " + u[0], number(+u[1].toPrecision(4))]; }) : [],
      facts ? facts.calls.map(function (c) { return [c[0], c[1] + " calls, " + c[2] + " tokens, " + c[3]]; }) : []));
    rows(by("rejected"), Object.keys(now.rejections).map(function (k) { return [k.replace(/_/g, " "), number(now.rejections[k])]; })
      .concat([["failed", number(now.failed)], ["stopped early", number(now.stopped)]]));
    var events = now.events.slice().reverse();
    var oldest = events.length ? events[events.length - 1].iteration : Infinity;
    if (facts) events = events.concat(facts.events.filter(function (e) { return e.iteration < oldest; }));
    by("events").hidden = !events.length;
    by("no-events").hidden = !!events.length;
    fill(by("events"), events.map(function (e) {
      var line = make("li", e.kind.replace(/_/g, " ") + " at iteration " + e.iteration);
      if (e.candidate) line.append(": ", opener(e.candidate.slice(0, 8)));
      return line;
    }));
    tiles();
  }
  function tiles() {
    var list = (facts ? facts.tiles : []).map(function (t) { return [t.what, t.gap, (t.name + " " + t.interval).trim()]; });
    list.push(["iterations", number(now.iterations), number(now.evaluations) + " candidates"]);
    list.push(["elapsed", time(now.wall_seconds), time(now.cpu_seconds) + " of CPU"]);
    list.push(["models", now.model_calls ? (none(now.cost_usd) ? "cost not known" : "$" + now.cost_usd.toFixed(2)) : "no calls", now.model_calls ? number(now.tokens) + " tokens" : "no cost"]);
    fill(by("tiles"), list.map(function (t) { var e = make("div", undefined, "tile"); e.append(make("p", t[0]), make("b", t[1]), make("p", t[2])); return e; }));
  }
  function settled() {
    var h = facts.headline;
    by("verdict").textContent = h.text.charAt(0).toUpperCase() + h.text.slice(1) + ".";
    by("verdict").className = h.verdict;
    by("where").textContent = document.title.replace("Gapsmith: ", "") + " \u00b7 " + facts.problem + " \u00b7 " + facts.models;
    var said = facts.unsafe_without.length ? "Unsafe: made without sandbox layer " + facts.unsafe_without.join(", ") + ". " : "";
    if (facts.foreign) said += "Foreign: this user did not begin this run.";
    by("warning").hidden = !said;
    by("warning").textContent = said;
    fill(by("words"), facts.answers.map(function (a) {
      var p = make("p", undefined, a.tone);
      p.append(make("b", a.question), " " + a.answer + " ");
      if (a.command) p.append(make("code", a.command));
      return p;
    }));
    source();
    rows(by("line"), facts.lineage.slice().reverse().map(function (s) {
      return [opener(s.id), number(s.iteration), s.made + (s.idea ? ": " + s.idea : ""), percent(s.loss_percent), none(s.change_percent) ? DASH : (s.change_percent > 0 ? "+" : "") + s.change_percent.toFixed(2)];
    }), ["", "", "text"]);
    tree();
    by("classes").hidden = !facts.champions.length;
    head(by("classes").querySelector("thead"), facts.champion_columns, ["", "text"]);
    rows(by("classes").querySelector("tbody"), facts.champions, ["", "text"]);
    by("classes-notes").textContent = facts.champion_notes.join("; ");
    fill(by("notes"), facts.notes.concat([facts.cost]).map(function (n) { return make("li", n); }));
    by("answers").hidden = !facts.drawn;
    if (facts.drawn && !by("instance").length) {
      fill(by("instance"), [new Option(facts.drawn + " (kept)", "kept")].concat(facts.instances.map(function (i, n) { return new Option(i, n); })));
      picture();
    }
  }
  var shown = null;
  async function source() {
    if (shown === facts.best) return;
    shown = facts.best;
    var c = shown ? await get("candidate/" + shown) : null;
    by("code").hidden = !c || !c.source;
    by("code").textContent = c && c.source || "";
    fill(by("code-words"), c && c.source ? [opener(shown.slice(0, 8)), ": changes to the parent, idea, scores by group"] : ["no feasible candidate yet"]);
  }
  function picture() {
    var which = by("instance").value, image = by("answer");
    by("answer-state").textContent = which === "kept" ? "drawing" : "running both programs";
    image.onload = function () { image.hidden = false; by("answer-state").textContent = ""; };
    image.onerror = async function () { image.hidden = true; var said = await get("answer/" + which).catch(function () { return null; }); by("answer-state").textContent = said && said.error ? said.error : "nothing to draw"; };
    image.alt = "Answers of the best candidate and the best baseline to " + by("instance").selectedOptions[0].textContent;
    image.src = "answer/" + which;
  }
  function opener(id) {
    var button = make("button", id, "plain");
    button.type = "button";
    button.dataset.of = id;
    button.addEventListener("click", function () { open(id); });
    return button;
  }
  function keepingFocus(action) {
    // The tables are made anew; the focus stays on the candidate that it was on.
    var active = document.activeElement, of = active && active.dataset.of, place = of && active.closest("tbody, ul");
    action();
    if (of) [...place.querySelectorAll("button")].some(function (b) { return b.dataset.of === of && (b.focus({ preventScroll: true }), true); });
  }
  function table(rowsOf, titles) {
    var t = make("table"), h = make("thead"), b = make("tbody"), box = make("div", undefined, "scroll");
    head(h, titles);
    rows(b, rowsOf);
    t.append(h, b);
    box.append(t);
    box.tabIndex = 0;
    return box;
  }
  async function open(id) {
    var c = await get("candidate/" + encodeURIComponent(id)), body = by("body");
    by("title").textContent = "Candidate " + id;
    if (!c || c.error) { fill(body, [make("p", c ? c.error : "The record holds no such candidate.")]); by("candidate").open || by("candidate").showModal(); return; }
    var diff = make("pre"), source = make("pre", c.source), family = make("p", "Parents: ");
    diff.tabIndex = source.tabIndex = 0;
    c.diff.split("\n").forEach(function (l) { diff.append(/^[+-]/.test(l) ? make("span", l, l[0] === "+" ? "a" : "d") : l + "\n"); });
    c.parents.forEach(function (p) { family.append(opener(p), " "); });
    if (!c.parents.length) family.append("none");
    family.append("; children: " + c.children);
    fill(body, [make("p", "iteration " + c.iteration + ", island " + c.island + ", " + c.made + ", training loss " + percent(c.training_loss_percent) + ", " + (c.status || "not evaluated")), family]);
    if (c.idea) body.append(make("h3", "Idea"), make("p", c.idea));
    if (c.failures.length) { body.append(make("h3", "Why it failed")); c.failures.forEach(function (f) { body.append(make("p", f)); }); }
    if (c.diff) body.append(make("h3", "Changes to the parent " + c.parent), diff);
    body.append(make("h3", "Source"), source);
    if (c.groups.length) body.append(make("h3", "Mean gap by group"), table(c.groups, ["group", "training", "validation", "test"]));
    if (c.metrics.length) body.append(make("h3", "Metrics, unverified"), table(c.metrics, ["metric", "training", "validation", "test"]));
    by("candidate").open || by("candidate").showModal();
    by("candidate").scrollTop = 0;
  }
  async function list() {
    var found = await get("iterations.json?" + new URLSearchParams(page));
    if (!found || found.error) return;
    by("older").disabled = found.length < 15;
    page.last = found.length ? found[found.length - 1].iteration : "";
    keepingFocus(function () {
      rows(by("newest"), found.map(function (c) {
        return [c.id ? opener(c.id) : "none", number(c.iteration), c.made, percent(c.loss_percent), c.status.replace(/_/g, " ") + (c.why ? ": " + c.why : "")];
      }), ["", "", "text", "", "text"]);
    });
  }
  var seen = "", slow = 0;
  async function poll() {
    var pause = 2, ended = false;
    try {
      var answer = await get("live.json");
      if (answer.error) by("state").textContent = answer.error;
      else {
        now = answer;
        pause = now.pause_seconds;
        ended = now.status !== "running";
        keepingFocus(live);
        var mark = now.iterations + now.status;
        if (mark !== seen) {
          seen = mark;
          if (!page.before) await list();
          if (ended || performance.now() > slow) {
            slow = performance.now() + 5000;
            points = (await get("progress.json")) || points;
            if (points.error) points = [];
            curve();
            document.body.dataset.ready = document.body.dataset.ready || "yes";
            if (!facts || facts.best !== now.best || facts.status !== now.status) {
              var next = await get("facts.json");
              if (next && !next.error) { facts = next; keepingFocus(settled); keepingFocus(live); times(); document.body.dataset.whole = "yes"; }
              if (!next || next.error || next.status !== now.status) seen = "";
            }
          } else seen = "";
        }
        document.body.dataset.ready = "yes";
      }
    } catch (error) {
      by("state").textContent = "The server does not answer; gapsmith has ended. The figures below are the last.";
      seen = "";
      pause = 10;
    }
    setTimeout(poll, 1000 * (ended && seen ? Math.max(pause, 30) : pause) * (document.hidden ? 5 : 1));
  }

  // All runs.
  var chosen = [];
  function board(found) {
    by("board-state").textContent = found.length ? number(found.length) + (found.length === 1 ? " run" : " runs") + ". Mark two runs to compare them." : "no runs here yet: start one with gapsmith run";
    fill(by("runs").tBodies[0], found.map(function (r) {
      var link = make("a", r.run), box = make("input");
      link.href = "run/" + r.key + "/";
      box.type = "checkbox";
      box.checked = chosen.indexOf(r.key) >= 0;
      box.dataset.of = r.key;
      box.setAttribute("aria-label", "compare " + r.run);
      box.addEventListener("change", function () { choose(r.key, box.checked); });
      var gap = r.trust === "reported" ? "score " + (none(r.best_reported_score) ? DASH : +r.best_reported_score.toPrecision(5)) : percent(r.best_gap_percent);
      return row([link, r.problem, r.model, number(r.iterations), gap, r.status + (r.foreign ? ", foreign" : "") + (r.note ? ": " + r.note : ""), (r.started || "").slice(0, 16).replace("T", " "), box], ["text", "text", "text wide", "", "", "text", "text wide"]);
    }));
  }
  async function choose(key, on) {
    chosen = chosen.filter(function (k) { return k !== key; }).concat(on ? [key] : []).slice(-2);
    [...document.querySelectorAll("#runs input")].forEach(function (b) { b.checked = chosen.indexOf(b.dataset.of) >= 0; });
    by("compared").hidden = chosen.length < 2;
    if (chosen.length < 2) return;
    var two = await get("compare.json/" + chosen.join("/"));
    if (!two || two.error) { empty("compared-chart", two ? two.error : "one of the runs is gone"); return; }
    compared(two);
  }
  function compared(two) {
    var x = [...new Set(two.flatMap(function (t) { return t.curve.map(function (p) { return p[0]; }).concat([t.figures.evaluations]); }))].sort(function (a, b) { return a - b; });
    var ys = two.map(function (t) {
      var n = -1;
      return x.map(function (v) { while (n + 1 < t.curve.length && t.curve[n + 1][0] <= v) n++; return n < 0 || v > t.figures.evaluations ? null : t.curve[n][1]; });
    });
    var scale = lossScale(ys.flat().filter(function (v) { return v !== null; })), looks = ["best", "mark"];
    head(by("compared-table").tHead, [""].concat(two.map(function (t) { return t.run; })), ["", "text", "text"]);
    rows(by("compared-table").tBodies[0], [["verdict"].concat(two.map(function (t) { return t.text; })), ["models"].concat(two.map(function (t) { return t.models; }))].concat(Object.keys(two[0].figures).map(function (k) {
      return [k.replace(/_/g, " ").replace(" percent", " (%)")].concat(two.map(function (t) { var v = t.figures[k]; return none(v) ? DASH : typeof v === "number" ? number(+v.toPrecision(5)) : k === "best" ? v.slice(0, 8) : v; }));
    })), ["", "text", "text"]);
    if (x.length < 2) { empty("compared-chart", "no curve to draw"); return; }
    chart("compared-chart", "Best training loss of two runs over candidates evaluated: " + two.map(function (t) { return t.run + " to " + percent(t.figures.training_loss_percent); }).join("; "), {
      scales: { x: { time: false }, y: scale },
      series: [{}].concat(two.map(function (t, n) { return { stroke: colour(looks[n]), width: 2.5, dash: n ? [8, 4] : [], paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }; })),
      axes: [axis("candidates evaluated"), lossAxis("best training loss (%)", scale)],
      cursor: { drag: { x: false, y: false } },
      hooks: { draw: [function (u) { two.forEach(function (t, n) { write(u, t.run, u.bbox.left + u.bbox.width - 8 * devicePixelRatio, u.bbox.top + (16 + 16 * n) * devicePixelRatio, "right", looks[n]); }); }] },
    }, [x].concat(ys));
    if (two[0].problem !== two[1].problem) by("board-state").textContent = "These two runs solve different problems, or versions of one: their figures need not be comparable.";
  }
  async function pollBoard() {
    var pause = 5;
    try {
      var found = await get("runs.json");
      if (found.error) by("board-state").textContent = found.error;
      else { board(found.runs); pause = Math.max(5, found.pause_seconds); }
      document.body.dataset.ready = "yes";
    } catch (error) { by("board-state").textContent = "The server does not answer; gapsmith dashboard has ended."; }
    setTimeout(pollBoard, 1000 * pause * (document.hidden ? 5 : 1));
  }

  var view = document.body.dataset.view;
  by(view).hidden = false;
  by(view === "run" ? "parts" : "where").hidden = view !== "run";
  function redraw() { if (view === "run") { curve(); times(); if (facts) tree(); } }
  if (view === "run") {
    by("close").addEventListener("click", function () { by("candidate").close(); });
    by("instance").addEventListener("change", picture);
    by("kind").addEventListener("change", function () { page.kind = by("kind").value; page.before = ""; list(); });
    var typed;
    by("search").addEventListener("input", function () { clearTimeout(typed); typed = setTimeout(function () { page.text = by("search").value; page.before = ""; list(); }, 250); });
    by("older").addEventListener("click", function () { page.before = page.last; list(); });
    by("first").addEventListener("click", function () { page.before = ""; list(); });
    poll();
  } else pollBoard();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  var resized;
  addEventListener("resize", function () { clearTimeout(resized); resized = setTimeout(redraw, 150); });
})();
