from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.provider_move_up_answer import ProviderMoveUpAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def provider_move_up(id: str, *, idempotency_key: Optional[str] = None) -> Call[ProviderMoveUpAnswer]:
    """Move a provider one place up; prints its channel's providers in their order

    Needs a key with the role provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/providers/{id}/move-up", id=id),
        lambda response: ProviderMoveUpAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
