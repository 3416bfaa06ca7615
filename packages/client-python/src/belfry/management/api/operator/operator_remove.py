from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.operator_remove_answer import OperatorRemoveAnswer
from typing import cast


def operator_remove(person: str, ) -> Call[OperatorRemoveAnswer]:
    """Remove a person's rights as an operator; the last operator keeps them

    Needs a platform key."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/manage/operators/{person}", person=person),
        lambda response: OperatorRemoveAnswer.from_dict(response.json()),
    )
