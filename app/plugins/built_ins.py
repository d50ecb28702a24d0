"""The list of built-in problems: the name of each and where its plug-in is."""

from __future__ import annotations

BUILT_IN = "built-in"
"""Origin of a built-in problem; see `LoadedProblem`."""
BUILT_INS = {
    "smtt": "gapsmith.evaluators.smtt:smtt",
    "smtt-rule": "gapsmith.evaluators.smtt:smtt_rule",
    "smwtt": "gapsmith.evaluators.smtt:smwtt",
    "smwtt-rule": "gapsmith.evaluators.smtt:smwtt_rule",
    "bin-packing": "gapsmith.evaluators.bin_packing:bin_packing",
    "online-bin-packing": "gapsmith.evaluators.bin_packing:online_bin_packing",
    "online-bin-packing-known-n": "gapsmith.evaluators.bin_packing:online_bin_packing_known_n",
    "gpu-fleet": "gapsmith.evaluators.placement:gpu_fleet",
    "gpu-fleet-aggregate": "gapsmith.evaluators.placement:gpu_fleet_aggregate",
    "model-placement": "gapsmith.evaluators.placement:model_placement",
    "expert-placement": "gapsmith.evaluators.placement:expert_placement",
    "job-shop": "gapsmith.evaluators.shops:job_shop",
    "job-shop-rule": "gapsmith.evaluators.shops:job_shop_rule",
    "blocking-job-shop": "gapsmith.evaluators.shops:blocking_job_shop",
    "blocking-job-shop-rule": "gapsmith.evaluators.shops:blocking_job_shop_rule",
    "unrelated-machines": "gapsmith.evaluators.shops.unrelated_machines:unrelated_machines",
    "cvrp": "gapsmith.evaluators.classics:cvrp",
    "flow-shop": "gapsmith.evaluators.classics:flow_shop",
    "flow-shop-rule": "gapsmith.evaluators.classics:flow_shop_rule",
    "multi-knapsack": "gapsmith.evaluators.classics:multi_knapsack",
    "orienteering": "gapsmith.evaluators.classics:orienteering",
    "tsp": "gapsmith.evaluators.classics:tsp",
    "task-graph": "gapsmith.evaluators.graphs:task_graph",
    "task-graph-rule": "gapsmith.evaluators.graphs:task_graph_rule",
    "kv-scheduling": "gapsmith.evaluators.serving:kv_scheduling",
    "kv-scheduling-rule": "gapsmith.evaluators.serving:kv_scheduling_rule",
    "lora-microbatches": "gapsmith.evaluators.training:lora_microbatches",
    "lora-microbatches-rule": "gapsmith.evaluators.training:lora_microbatches_rule",
    "sequence-packing": "gapsmith.evaluators.training:sequence_packing",
    "memory-mapping": "gapsmith.evaluators.memory:memory_mapping",
    "memory-mapping-rule": "gapsmith.evaluators.memory:memory_mapping_rule",
    "cluster-scheduling": "gapsmith.evaluators.cluster:cluster_scheduling",
    "cluster-churn": "gapsmith.evaluators.cluster:cluster_churn",
}

LITERATURE = "examples/literature/"
"""Folder of the source distribution with plug-in files for tasks of published tables."""
NAMES_ELSEWHERE = {
    "tsp_construct": LITERATURE + "tsp_construct.py",
    "tsp_constructive": LITERATURE + "tsp_construct.py",
    "tsp-rule": LITERATURE + "tsp_construct.py",
    "cvrp_construct": LITERATURE + "cvrp_construct.py",
    "cvrp-rule": LITERATURE + "cvrp_construct.py",
    "mkp_aco": LITERATURE + "mkp_aco.py",
    "multi-knapsack-rule": LITERATURE + "mkp_aco.py",
    "op_aco": LITERATURE + "op_aco.py",
    "orienteering-rule": LITERATURE + "op_aco.py",
    "fssp_gls": "flow-shop",
    "flow-shop-insertion-rule": "flow-shop",
    "bpp_online": "online-bin-packing",
    "online_bin_packing": "online-bin-packing",
}
"""Names of other tools' tasks and of built-in problems that left → the nearest built-in problem or file."""
