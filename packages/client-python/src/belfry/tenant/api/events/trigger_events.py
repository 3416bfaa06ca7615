from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.trigger_batch_request import TriggerBatchRequest
from ...models.trigger_batch_response import TriggerBatchResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def trigger_events(body: Union[TriggerBatchRequest, Mapping[str, Any]], ) -> Call[TriggerBatchResponse]:
    """Trigger many events

    Accepts up to 100 events in one call. Each event is checked and answered like a single call of
    `trigger`. Each counts towards both limits: events beyond a limit are refused, and the others are
    accepted. The answer is 200 if the batch itself could be read, so check the `statusCode` of each
    result. The events of one user are delivered in the order of the batch."""
    
    return Call(
        "POST",
        path_of("/api/v1/events/trigger-batch"),
        lambda response: TriggerBatchResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
