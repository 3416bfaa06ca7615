from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.category_delete_answer import CategoryDeleteAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def category_delete(key: str, ) -> Call[CategoryDeleteAnswer]:
    """Delete a category that has no event types; users' choices for it are kept

    It is refused while event types belong to it: their messages would reach users who turned them off.
    Needs a key with the role manage or provision."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/manage/categories/{key}", key=key),
        lambda response: CategoryDeleteAnswer.from_dict(response.json()),
        is_signed=True,
    )
