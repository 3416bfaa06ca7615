from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.layout_show_answer import LayoutShowAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def layout_show(*, version: Union[Unset, int] = UNSET, ) -> Call[LayoutShowAnswer]:
    """The live layout, or one of its versions

    Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    params["version"] = version


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/layout"),
        lambda response: LayoutShowAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
