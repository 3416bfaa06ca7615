from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.broadcast_estimate_answer import BroadcastEstimateAnswer
from ...models.broadcast_estimate_body import BroadcastEstimateBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def broadcast_estimate(body: Union[BroadcastEstimateBody, Mapping[str, Any]], ) -> Call[BroadcastEstimateAnswer]:
    """Estimate how many people a broadcast would reach, and why it would not reach the others

    Looks at the first 10000 people, by user id, as dispatching would: address, provider, preferences,
    suppression. If there are more, it extrapolates. Quiet hours only delay, and a template's throttle
    is not counted. Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/broadcast-estimates"),
        lambda response: BroadcastEstimateAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
