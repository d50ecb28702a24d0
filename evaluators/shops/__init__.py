"""Job shops with certified references; rows of the list of built-in problems point here."""

from __future__ import annotations

from ...problems import shops
from ..base import Plugin
from .best_known import taillard_best_known
from .references import ShopReferences

_buffered = ShopReferences("job-shop", best_known=taillard_best_known)
_blocking = ShopReferences("blocking-job-shop", blocking=True)

job_shop = Plugin(shops.job_shop, _buffered)
job_shop_rule = Plugin(shops.job_shop_rule, _buffered)
blocking_job_shop = Plugin(shops.blocking_job_shop, _blocking)
blocking_job_shop_rule = Plugin(shops.blocking_job_shop_rule, _blocking)
