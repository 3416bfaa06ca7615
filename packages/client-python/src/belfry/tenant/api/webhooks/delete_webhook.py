from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.webhook_deleted_response import WebhookDeletedResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def delete_webhook(webhook_id: str, ) -> Call[WebhookDeletedResponse]:
    """Delete an endpoint

    Also deletes the endpoint's messages and their attempts. A message that is being sent is not
    retried. Send no body; if a signature is needed, sign the empty text."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/webhooks/{webhook_id}", webhook_id=webhook_id),
        lambda response: WebhookDeletedResponse.from_dict(response.json()),
        is_signed=True,
    )
