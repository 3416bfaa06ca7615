from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.environment_promote_answer import EnvironmentPromoteAnswer
from ...models.environment_promote_body import EnvironmentPromoteBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def environment_promote(body: Union[EnvironmentPromoteBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> Call[EnvironmentPromoteAnswer]:
    """Publish in an environment what the environment before it has published

    A promotion is a bundle from one tenant into the other: all of it, or nothing. A large one is
    compiled in the background, as `bundle apply` tells. Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    params["dryRun"] = dry_run


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "POST",
        path_of("/api/v1/manage/environment/promotion"),
        lambda response: EnvironmentPromoteAnswer.from_dict(response.json()),
        query=params,
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
