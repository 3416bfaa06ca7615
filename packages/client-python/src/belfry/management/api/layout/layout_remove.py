from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.layout_remove_answer import LayoutRemoveAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def layout_remove() -> Call[LayoutRemoveAnswer]:
    """Reset the layout to the platform's, with nothing of the tenant but its name

    Needs a key with the role manage or provision."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/manage/layout"),
        lambda response: LayoutRemoveAnswer.from_dict(response.json()),
        is_signed=True,
    )
