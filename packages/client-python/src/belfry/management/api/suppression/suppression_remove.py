from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.suppression_remove_answer import SuppressionRemoveAnswer
from ...models.suppression_remove_body import SuppressionRemoveBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def suppression_remove(body: Union[SuppressionRemoveBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[SuppressionRemoveAnswer]:
    """Lift the suppression of addresses: messages are sent to them again

    The provider may still suppress them in its own list. Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/suppressions/remove"),
        lambda response: SuppressionRemoveAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
