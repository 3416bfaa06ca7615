from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.image_delete_answer import ImageDeleteAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def image_delete(id: str, ) -> Call[ImageDeleteAnswer]:
    """Delete an image: mails that show it have a gap from then on

    Needs a key with the role manage or provision."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/manage/images/{id}", id=id),
        lambda response: ImageDeleteAnswer.from_dict(response.json()),
        is_signed=True,
    )
