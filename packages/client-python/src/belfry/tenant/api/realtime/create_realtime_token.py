from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.realtime_token_request import RealtimeTokenRequest
from ...models.realtime_token_response import RealtimeTokenResponse
from typing import cast


def create_realtime_token(body: Union[RealtimeTokenRequest, Mapping[str, Any]], ) -> Call[RealtimeTokenResponse]:
    """Request a realtime token

    A connection token for one user's browser, valid for 2 hours, and the channels to subscribe to."""
    
    return Call(
        "POST",
        path_of("/api/v1/auth/realtime-token"),
        lambda response: RealtimeTokenResponse.from_dict(response.json()),
        body=body,
    )
