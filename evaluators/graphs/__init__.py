"""Task graphs with certified references; rows of the list of built-in problems point here."""

from __future__ import annotations

from ...problems import graphs
from ..base import Plugin
from .references import TaskGraphReferences

task_graph = Plugin(graphs.task_graph, TaskGraphReferences())
task_graph_rule = Plugin(graphs.task_graph_rule, TaskGraphReferences())
