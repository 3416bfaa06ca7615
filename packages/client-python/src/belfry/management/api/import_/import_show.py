from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.import_show_answer import ImportShowAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def import_show(import_id: str, ) -> Call[ImportShowAnswer]:
    """Show the progress of an import, and the faults of its lines

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/imports/{import_id}", import_id=import_id),
        lambda response: ImportShowAnswer.from_dict(response.json()),
        is_signed=True,
    )
