"""Cluster scheduling with certified references; rows of the list of built-in problems point here."""

from __future__ import annotations

from ...problems import cluster
from ..base import Plugin
from .references import ChurnReferences, ClusterReferences

cluster_scheduling = Plugin(cluster.cluster_scheduling, ClusterReferences())
cluster_churn = Plugin(cluster.cluster_churn, ChurnReferences())
