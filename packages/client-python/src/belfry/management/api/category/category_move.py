from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.category_move_answer import CategoryMoveAnswer
from ...models.category_move_body import CategoryMoveBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def category_move(key: str, body: Union[CategoryMoveBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[CategoryMoveAnswer]:
    """Move a category to a place among the others; prints all in their order

    The positions of all categories become 0, 1, 2 and so on. Needs a key with the role manage or
    provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/categories/{key}/move", key=key),
        lambda response: CategoryMoveAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
