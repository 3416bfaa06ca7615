from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.import_cancel_answer import ImportCancelAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def import_cancel(import_id: str, *, idempotency_key: Optional[str] = None) -> Call[ImportCancelAnswer]:
    """Stop an import; the lines that were imported stay

    Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/imports/{import_id}/cancel", import_id=import_id),
        lambda response: ImportCancelAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
