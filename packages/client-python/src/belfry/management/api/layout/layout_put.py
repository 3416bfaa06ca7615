from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.layout_put_answer import LayoutPutAnswer
from ...models.layout_put_body import LayoutPutBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def layout_put(body: Union[LayoutPutBody, Mapping[str, Any]], ) -> Call[LayoutPutAnswer]:
    """Change the given settings, and republish every mail in Markdown with them; live within 5 s

    Fields that are left out keep their values. If one mail does not compile with it, the whole change
    is refused. Needs a key with the role manage or provision."""
    
    return Call(
        "PUT",
        path_of("/api/v1/manage/layout"),
        lambda response: LayoutPutAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
