from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.environment_list_answer import EnvironmentListAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def environment_list() -> Call[EnvironmentListAnswer]:
    """The environments of the tenant's family, its own among them

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/environments"),
        lambda response: EnvironmentListAnswer.from_dict(response.json()),
        is_signed=True,
    )
