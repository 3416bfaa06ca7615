from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.layout_versions_answer import LayoutVersionsAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def layout_versions() -> Call[LayoutVersionsAnswer]:
    """All its versions, newest first

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/layout/versions"),
        lambda response: LayoutVersionsAnswer.from_dict(response.json()),
        is_signed=True,
    )
