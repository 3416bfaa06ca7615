from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.dead_replay_answer import DeadReplayAnswer
from ...models.dead_replay_body import DeadReplayBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def dead_replay(body: Union[DeadReplayBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> Call[DeadReplayAnswer]:
    """Send dead letters again: a new attempt of the same delivery, never of one that a provider accepted.
    What expired or is unknown goes only by its ID or its --class.

    Needs a key with the role provision."""
    params: dict[str, Any] = {}

    params["dryRun"] = dry_run


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "POST",
        path_of("/api/v1/manage/dead-letters/replay"),
        lambda response: DeadReplayAnswer.from_dict(response.json()),
        query=params,
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
