from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.import_add_answer import ImportAddAnswer
from ...models.import_add_body import ImportAddBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def import_add(import_id: str, body: Union[ImportAddBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[ImportAddAnswer]:
    """Send the next part of a file

    Parts come one after the other; a file may be cut at any place. The part that came last may be sent
    again. A file that is too large is refused, and its import cancelled. Needs a key with the role
    manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/imports/{import_id}/parts", import_id=import_id),
        lambda response: ImportAddAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
