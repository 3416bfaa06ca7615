from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.category_put_answer import CategoryPutAnswer
from ...models.category_put_body import CategoryPutBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def category_put(key: str, body: Union[CategoryPutBody, Mapping[str, Any]], ) -> Call[CategoryPutAnswer]:
    """Create a category, or change the given settings of one; applies within 5 s

    Fields that are left out keep their values. An empty text removes its language. Needs a key with the
    role manage or provision."""
    
    return Call(
        "PUT",
        path_of("/api/v1/manage/categories/{key}", key=key),
        lambda response: CategoryPutAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
