from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.category_list_answer import CategoryListAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def category_list() -> Call[CategoryListAnswer]:
    """A tenant's categories, each with the event types that belong to it

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/categories"),
        lambda response: CategoryListAnswer.from_dict(response.json()),
        is_signed=True,
    )
