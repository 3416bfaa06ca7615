from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.realtime_new_epoch_answer import RealtimeNewEpochAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def realtime_new_epoch(*, idempotency_key: Optional[str] = None) -> Call[RealtimeNewEpochAnswer]:
    """Make every client load its history again, for use after a restore

    A restored database assigns offsets again that clients have already seen. With a new epoch, each
    client forgets its position at its next reconnect and loads its history again. Needs a platform key."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/realtime-epoch"),
        lambda response: RealtimeNewEpochAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
    )
