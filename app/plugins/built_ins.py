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
    "cvrp-rule": "gapsmith.evaluators.classics:cvrp_rule",
    "flow-shop": "gapsmith.evaluators.classics:flow_shop",
    "flow-shop-rule": "gapsmith.evaluators.classics:flow_shop_rule",
    "flow-shop-insertion-rule": "gapsmith.evaluators.classics:flow_shop_insertion_rule",
    "multi-knapsack": "gapsmith.evaluators.classics:multi_knapsack",
    "multi-knapsack-rule": "gapsmith.evaluators.classics:multi_knapsack_rule",
    "orienteering": "gapsmith.evaluators.classics:orienteering",
    "orienteering-rule": "gapsmith.evaluators.classics:orienteering_rule",
    "tsp": "gapsmith.evaluators.classics:tsp",
    "tsp-rule": "gapsmith.evaluators.classics:tsp_rule",
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

NAMES_ELSEWHERE = {
    "tsp_construct": "tsp-rule",
    "tsp_constructive": "tsp-rule",
    "cvrp_construct": "cvrp-rule",
    "fssp_gls": "flow-shop",
    "mkp_aco": "multi-knapsack-rule",
    "op_aco": "orienteering-rule",
    "bpp_online": "online-bin-packing",
    "online_bin_packing": "online-bin-packing",
}
"""Tasks of EoH, LLM4AD, ReEvo and MCTS-AHD by their names there, and the built-in problem that is nearest."""
