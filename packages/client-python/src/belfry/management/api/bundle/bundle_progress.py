from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.bundle_progress_answer import BundleProgressAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def bundle_progress(apply_id: str, ) -> Call[BundleProgressAnswer]:
    """Show the progress of a bundle or promotion that is applied in the background

    The call that begins one answers 202 with its id. At the end the state is `done`, or `failed` with
    `faults`: nothing is applied then. It is kept for 30 days after its end. Needs a key with the role
    manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/bundle/applies/{apply_id}", apply_id=apply_id),
        lambda response: BundleProgressAnswer.from_dict(response.json()),
        is_signed=True,
    )
