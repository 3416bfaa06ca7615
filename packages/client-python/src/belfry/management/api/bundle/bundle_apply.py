from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.bundle_apply_answer import BundleApplyAnswer
from ...models.bundle_apply_body import BundleApplyBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def bundle_apply(body: Union[BundleApplyBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> Call[BundleApplyAnswer]:
    """Publish such files, all or none; parts without a file stay unchanged

    Contents are compared: the same bundle again changes nothing and makes no version. A large change is
    compiled in the background: the answer is then 202 with an `id`, and `bundle progress` tells its
    end. Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    params["dryRun"] = dry_run


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "POST",
        path_of("/api/v1/manage/bundle"),
        lambda response: BundleApplyAnswer.from_dict(response.json()),
        query=params,
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
