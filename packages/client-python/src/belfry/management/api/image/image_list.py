from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.image_list_answer import ImageListAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def image_list() -> Call[ImageListAnswer]:
    """The images of mails and the design, the newest first

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/images"),
        lambda response: ImageListAnswer.from_dict(response.json()),
        is_signed=True,
    )
