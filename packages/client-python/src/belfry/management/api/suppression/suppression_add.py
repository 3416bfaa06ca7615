from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.suppression_add_answer import SuppressionAddAnswer
from ...models.suppression_add_body import SuppressionAddBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def suppression_add(body: Union[SuppressionAddBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[SuppressionAddAnswer]:
    """Suppress addresses: nothing more is sent to them

    Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/suppressions"),
        lambda response: SuppressionAddAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
