from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.webhook_secret_response import WebhookSecretResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def rotate_webhook_secret(webhook_id: str, ) -> Call[WebhookSecretResponse]:
    """Rotate an endpoint's secret

    The answer shows a new secret, only once. For 24 hours messages have two signatures: the new
    secret's and the previous one's. If you rotate twice within 10 minutes, the secret from before both
    rotations signs instead of the one in between. Send no body; if a signature is needed, sign the
    empty text."""
    
    return Call(
        "POST",
        path_of("/api/v1/webhooks/{webhook_id}/rotate-secret", webhook_id=webhook_id),
        lambda response: WebhookSecretResponse.from_dict(response.json()),
        is_signed=True,
    )
