"""The client for Belfry: `Belfry` and `AsyncBelfry`. `belfry.manage` is for pipelines."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Optional, Union, cast
from urllib.parse import quote

import httpx
from standardwebhooks import Webhook, WebhookVerificationError

from ._call import Call
from ._errors import BelfryError, BelfryNetworkError
from .tenant.api.events.trigger_event import trigger_event
from .tenant.api.events.trigger_events import trigger_events
from .tenant.client import AsyncCalls, Calls
from .tenant.models import AttachmentResponse, TriggerBatchResponse, TriggerRequest

__all__ = ["AsyncBelfry", "Belfry", "BelfryError", "BelfryNetworkError", "Call", "Triggered", "verify_webhook"]
__all__ += ["WebhookVerificationError"]

_Text = Optional[str]
Event = Union[TriggerRequest, Mapping[str, Any]]
"""As the API takes it: `{"eventType": …, "payload": {"userId": …}, "variables": {…}}`."""


@dataclass(frozen=True)
class Triggered:
    """An event that Belfry has stored and will dispatch. If it is `replayed`, an earlier call with its key created it."""

    id: str
    message: str
    replayed: bool
    trace_id: str
    warnings: List[str]


def _triggered(response: httpx.Response) -> Triggered:
    body, headers = response.json(), response.headers
    replayed = headers.get("idempotency-replayed") == "true"
    return Triggered(headers["x-event-id"], body["message"], replayed, headers["x-trace-id"], body.get("warnings", []))


def _trigger(event: Event, key: Optional[str], trace_id: Optional[str]) -> Call[Triggered]:
    headers = {} if trace_id is None else {"x-trace-id": trace_id}
    call = trigger_event(event, idempotency_key=key)
    return replace(cast("Call[Any]", call), parse=_triggered, headers=headers)


def _batch(events: Iterable[Mapping[str, Any]]) -> Call[TriggerBatchResponse]:
    return trigger_events({"events": [{"idempotencyKey": str(uuid.uuid4()), **event} for event in events]})


def _upload(name: str, content_type: str, data: bytes) -> Call[AttachmentResponse]:
    headers = {"content-type": content_type, "x-file-name": quote(name, safe="")}
    parse = lambda response: AttachmentResponse.from_dict(response.json())  # noqa: E731
    # Longer than Belfry allows for an upload.
    return Call("POST", "/api/v1/attachments", parse, body=data, headers=headers, is_signed=True, timeout=20.0)


class Belfry(Calls):
    """The calls of a backend. Each retries temporary failures, at most 3 times, with the same key."""

    def trigger(self, event: Event, *, idempotency_key: _Text = None, trace_id: _Text = None) -> Triggered:
        """Sends an event. Without a key, every call creates its own event, and its retries deliver nothing twice."""
        return self._send(_trigger(event, idempotency_key, trace_id))

    def trigger_batch(self, events: Iterable[Mapping[str, Any]]) -> TriggerBatchResponse:
        """Sends up to 100 events. Check every `status_code` of the results, which are in the same order."""
        return self._send(_batch(events))

    def upload_attachment(self, name: str, content_type: str, data: bytes) -> AttachmentResponse:
        """Stores a file. Events can name its id in `email.attachments` within 24 hours."""
        return self._send(_upload(name, content_type, data))


class AsyncBelfry(AsyncCalls):
    """The calls of `Belfry`, awaited."""

    async def trigger(self, event: Event, *, idempotency_key: _Text = None, trace_id: _Text = None) -> Triggered:
        return await self._send(_trigger(event, idempotency_key, trace_id))

    async def trigger_batch(self, events: Iterable[Mapping[str, Any]]) -> TriggerBatchResponse:
        return await self._send(_batch(events))

    async def upload_attachment(self, name: str, content_type: str, data: bytes) -> AttachmentResponse:
        return await self._send(_upload(name, content_type, data))


def verify_webhook(secret: str, body: Union[bytes, str], headers: Mapping[str, str]) -> Dict[str, Any]:
    """Returns the message in a webhook's raw body. Raises WebhookVerificationError if it is not from Belfry, or old."""
    webhook = Webhook(secret)
    try:
        return cast(Dict[str, Any], webhook.verify(body, dict(headers)))
    except ValueError as cause:
        raise WebhookVerificationError(str(cause)) from cause
