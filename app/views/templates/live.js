"use strict";
(function () {
  var SVG = "http://www.w3.org/2000/svg";
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
  var reported = false;
  function percent(v) { return v === null || v === undefined ? "\u2013" : v.toFixed(v < 100 ? 2 : 0).replace("-0.00", "0.00") + " %"; }
  function rows(id, lines) {
    by(id).replaceChildren.apply(by(id), lines.map(function (cells) {
      var tr = make("tr");
      cells.forEach(function (cell, n) {
        var e = make(n ? "td" : "th");
        if (!n) e.scope = "row";
        e.append(cell);
        tr.append(e);
      });
      return tr;
    }));
  }
  function scale(values) {
    if (reported) {  // changes over the start program have any sign and no bound
      var low = Math.min.apply(null, values), high = Math.max.apply(null, values);
      return function (v) { return (v - low) / (high - low || 1); };
    }
    // Logarithmic above the smallest positive loss of the last three decades, linear from the proven bound at 0.
    var most = Math.max.apply(null, values.concat([1e-6]));
    var positive = values.filter(function (v) { return v > 0; });
    var least = Math.max(positive.length ? Math.min.apply(null, positive) : most, most / 1000);
    var decades = Math.max(Math.log10(most / least), 0.01);
    return function (v) { return v <= least ? 0.15 * Math.max(0, v) / least : 0.15 + 0.85 * Math.log10(v / least) / decades; };
  }
  function room(id) { return Math.max(280, Math.min(by(id).clientWidth, 1100)) - 20; }  // a unit of the picture is a pixel
  function gap(now) {
    var marks = now.marks.slice(), best = now.training_loss_percent, values = marks.map(function (m) { return m.loss_percent; });
    if (best !== null) values.push(best);
    if (!values.length) { by("gap").replaceChildren(make("p", "nothing evaluated yet")); return; }
    var at = scale(values), end = room("gap"), height = 70 + 18 * marks.length;
    var words = (reported ? "Best candidate " : "Proven bound or reference at 0; best candidate ") + percent(best) + "; " +
      marks.map(function (m) { return m.name + " " + percent(m.loss_percent); }).join("; ");
    var svg = shape("svg", { viewBox: "0 0 " + (end + 20) + " " + height, role: "img", "aria-label": words });
    svg.append(shape("line", { x1: 40, x2: end, y1: 34, y2: 34, class: "axis" }), shape("text", { x: 8, y: 20 }, reported ? "" : "0 % (reference)"));
    svg.append(shape("line", { x1: 40, x2: 40, y1: 26, y2: 42, class: "axis" }));
    marks.sort(function (a, b) { return a.loss_percent - b.loss_percent; });
    var names = marks.map(function (m, n) {
      var x = 40 + (end - 40) * at(m.loss_percent), late = x > end / 2;
      svg.append(shape("line", { x1: x, x2: x, y1: 28, y2: 56 + 18 * n, class: "mark" }));
      return shape("text", { x: late ? x - 5 : x + 5, y: 58 + 18 * n, "text-anchor": late ? "end" : "start" }, m.name + " " + percent(m.loss_percent));
    });
    svg.append.apply(svg, names);
    if (best !== null) {
      var x = 40 + (end - 40) * at(best);
      svg.append(shape("circle", { cx: x, cy: 34, r: 7, class: "dot" }));
      svg.append(shape("text", { x: Math.max(130, Math.min(x, end - 160)), y: 20 }, "best candidate " + percent(best)));
    }
    by("gap").replaceChildren(svg);
  }
  function curve(now) {
    var p = now.progress, x = now.progress_evaluations, most = Math.max(now.evaluations, 1), end = room("curve");
    if (!p.length) { by("curve").replaceChildren(make("p", "nothing evaluated yet")); return; }
    var textbook = now.marks.filter(function (m) { return m.name !== "start program"; }).sort(function (a, b) { return a.loss_percent - b.loss_percent; })[0];
    var at = scale(textbook ? p.concat([textbook.loss_percent]) : p), d = "", last = percent(p[p.length - 1]);
    function height(v) { return (150 - 125 * at(v)).toFixed(1); }
    p.forEach(function (v, n) {
      var across = (40 + (end - 40) * Math.min(x[n], most) / most).toFixed(1);
      d += n ? "H" + across + "V" + height(v) : "M" + across + " " + height(v);
    });
    var words = "Best training loss from " + percent(p[0]) + " to " + last + " over " + now.evaluations + " candidates evaluated" +
      (textbook ? "; best baseline " + textbook.name + " " + percent(textbook.loss_percent) : "");
    var svg = shape("svg", { viewBox: "0 0 " + (end + 20) + " 180", role: "img", "aria-label": words });
    svg.append(shape("line", { x1: 40, x2: end, y1: 150, y2: 150, class: "axis" }), shape("path", { d: d + "H" + end, class: "best" }));
    if (textbook) {
      var y = +height(textbook.loss_percent);
      svg.append(shape("line", { x1: 40, x2: end, y1: y, y2: y, class: "mark" }));
      svg.append(shape("text", { x: end, y: y - 5, "text-anchor": "end" }, "best baseline: " + textbook.name + " " + percent(textbook.loss_percent)));
    }
    svg.append(shape("text", { x: 40, y: 170 }, "0"), shape("text", { x: (end + 40) / 2, y: 170, "text-anchor": "middle" }, "candidates evaluated (count)"));
    svg.append(shape("text", { x: end, y: 170, "text-anchor": "end" }, String(now.evaluations)), shape("text", { x: 48, y: 15 }, "from " + percent(p[0]) + " to " + last));
    by("curve").replaceChildren(svg);
  }
  function left(now) {
    var used = { iterations: now.iterations, evaluations: now.evaluations, executions: now.executions, seconds: now.wall_seconds, cpu_seconds: now.cpu_seconds, tokens: now.tokens, usd: now.cost_usd };
    return Object.keys(now.budget).map(function (k) {
      return [k.replace("_", " "), used[k] === undefined || used[k] === null ? "of " + now.budget[k] : (+used[k].toPrecision(4)) + " of " + now.budget[k]];
    });
  }
  function draw(now) {
    reported = now.trust === "reported";
    var score = now.best_reported_score;
    by("state").textContent = now.status + (now.stop_reason && now.stop_reason !== now.status ? " (" + now.stop_reason + ")" : "") + ": best candidate " +
      (now.best ? now.best.slice(0, 8) : "none yet") + (reported
        ? ", reported score " + (score === null ? "\u2013" : +score.toPrecision(5)) + " on validation (unverified)"
        : ", mean gap on validation " + percent(now.best_gap_percent));
    by("numbers").textContent = reported ? now.loss_words : "Loss: percent of max(|reference|, scale), mean over the training instances.";
    gap(now);
    curve(now);
    rows("islands", now.islands.map(function (i) { return [String(i.island), String(i.candidates), percent(i.training_loss_percent)]; }));
    rows("spent", [
      ["iterations", String(now.iterations)], ["candidates evaluated", String(now.evaluations)], ["executions", String(now.executions)],
      ["wall seconds", now.wall_seconds === null ? "\u2013" : now.wall_seconds.toFixed(0)],
      ["calls of models", String(now.model_calls)], ["tokens", String(now.tokens)],
      ["US dollars", now.cost_usd === null ? "not known" : now.cost_usd.toFixed(4)],
    ].concat(left(now).map(function (b) { return ["budget: " + b[0], b[1]]; })));
    rows("rejected", Object.keys(now.rejections).map(function (k) { return [k.replace(/_/g, " "), String(now.rejections[k])]; })
      .concat([["failed", String(now.failed)], ["stopped early", String(now.stopped)]]));
    by("events").replaceChildren.apply(by("events"), now.events.slice().reverse().map(function (e) {
      var line = make("li", e.kind.replace(/_/g, " ") + " at iteration " + e.iteration);
      if (e.candidate) line.append(": ", opener(e.candidate.slice(0, 8)));
      return line;
    }));
    rows("newest", now.newest.map(function (c) {
      return [opener(c.id), String(c.iteration), c.made, percent(c.loss_percent), c.status];
    }));
  }
  function opener(id) {
    var button = make("button", id);
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
  async function open(id) {
    var answer = await fetch("candidate/" + encodeURIComponent(id)), body = by("body");
    by("title").textContent = "Candidate " + id;
    if (!answer.ok) { body.replaceChildren(make("p", "The record holds no such candidate.")); by("candidate").showModal(); return; }
    var c = await answer.json(), diff = make("pre"), source = make("pre", c.source);
    diff.tabIndex = source.tabIndex = 0;
    c.diff.split("\n").forEach(function (l) { diff.append(/^[+-]/.test(l) ? make("span", l, l[0] === "+" ? "a" : "d") : l + "\n"); });
    body.replaceChildren(make("p", "iteration " + c.iteration + ", " + c.made + ", training loss " + percent(c.training_loss_percent)));
    if (c.diff) body.append(make("h2", "Changes to the parent " + c.parent), diff);
    body.append(make("h2", "Source"), source);
    by("candidate").showModal();
  }
  by("close").addEventListener("click", function () { by("candidate").close(); });
  async function poll() {
    var pause = 2, ended = false;
    try {
      var answer = await fetch("live.json", { cache: "no-store" }), now = await answer.json();
      if (now.error) by("state").textContent = now.error;
      else { keepingFocus(function () { draw(now); }); pause = now.pause_seconds; ended = now.status !== "running"; document.body.dataset.ready = "yes"; }
    } catch (error) {
      by("state").textContent = "The server does not answer; gapsmith watch has ended. The figures below are the last.";
      pause = 10;
    }
    setTimeout(poll, 1000 * (ended ? Math.max(pause, 30) : pause) * (document.hidden ? 5 : 1));
  }
  poll();
})();
