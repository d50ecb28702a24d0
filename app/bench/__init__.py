"""The workbench: a run whose programs come from outside, from people, agents and notebooks."""
