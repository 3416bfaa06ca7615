from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.webhook_put_response import WebhookPutResponse
from ...models.webhook_request import WebhookRequest
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def put_webhook(body: Union[WebhookRequest, Mapping[str, Any]], ) -> Call[WebhookPutResponse]:
    """Create an endpoint

    Creates an endpoint, or changes the one with this URL. If the endpoint is new, the answer has its
    secret, only this once; rotate the secret if the answer is lost. A tenant has at most 20 endpoints.
    The change applies to all results after the answer."""
    
    return Call(
        "POST",
        path_of("/api/v1/webhooks"),
        lambda response: WebhookPutResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
