from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.operator_list_answer import OperatorListAnswer
from typing import cast


def operator_list() -> Call[OperatorListAnswer]:
    """List operators

    Needs a platform key."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/operators"),
        lambda response: OperatorListAnswer.from_dict(response.json()),
    )
