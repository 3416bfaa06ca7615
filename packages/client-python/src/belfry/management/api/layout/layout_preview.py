from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.layout_preview_answer import LayoutPreviewAnswer
from ...models.layout_preview_body import LayoutPreviewBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def layout_preview(body: Union[LayoutPreviewBody, Mapping[str, Any]], ) -> Call[LayoutPreviewAnswer]:
    """Render a sample mail in a layout, without saving it

    Fields that are left out have the platform's values. Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/layout/preview"),
        lambda response: LayoutPreviewAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
