from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.dead_discard_answer import DeadDiscardAnswer
from ...models.dead_discard_body import DeadDiscardBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def dead_discard(body: Union[DeadDiscardBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> Call[DeadDiscardAnswer]:
    """Discard dead letters for good; their attempts stay visible

    Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    params["dryRun"] = dry_run


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "POST",
        path_of("/api/v1/manage/dead-letters/discard"),
        lambda response: DeadDiscardAnswer.from_dict(response.json()),
        query=params,
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
