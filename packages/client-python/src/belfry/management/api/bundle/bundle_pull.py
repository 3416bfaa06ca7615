from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.bundle_pull_answer import BundlePullAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def bundle_pull() -> Call[BundlePullAnswer]:
    """Export what a tenant has published as files: templates, layout and categories

    A folder for each event type holds a file for each channel and language. layout.mjml, layout.json
    and categories.json are beside the folders. Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/bundle"),
        lambda response: BundlePullAnswer.from_dict(response.json()),
        is_signed=True,
    )
