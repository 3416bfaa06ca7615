from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.layout_restore_answer import LayoutRestoreAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def layout_restore(version: int, *, idempotency_key: Optional[str] = None) -> Call[LayoutRestoreAnswer]:
    """Publish an older version again, as the newest

    Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/layout/versions/{version}/restore", version=version),
        lambda response: LayoutRestoreAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
