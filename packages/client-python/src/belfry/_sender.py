import asyncio
import hashlib
import hmac
import itertools
import json
import random
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, Optional, TypeVar, Union

import httpx
from typing_extensions import Self

from ._call import Call, T
from ._errors import BelfryError, BelfryNetworkError

Http = TypeVar("Http", httpx.Client, httpx.AsyncClient)


@dataclass
class Exchange(Generic[T]):
    call: Call[T]
    result: Union[httpx.Response, httpx.TransportError] = field(init=False)
    answer: T = field(init=False)


class _Rules(Generic[Http]):
    """How calls are sent and retried. `timeout` is for each step of one try: to connect, to write, to read."""

    _timeout = 10.0
    _signs_time = False
    _new_http: Any

    def __init__(
        self, base_url: str, api_key: str, *, webhook_secret: Optional[str] = None, timeout: Optional[float] = None,
        retries: int = 3, longest_wait: float = 65.0, http: Optional[Http] = None
    ) -> None:
        self._base_url, self._api_key, self._secret = base_url.rstrip("/"), api_key, webhook_secret
        self._timeout = self._timeout if timeout is None else timeout
        self._retries, self._longest_wait = retries, longest_wait
        self._http: Http = http or self._new_http()

    def _steps(self, one: Exchange[T]) -> Iterator[Union[httpx.Request, float]]:
        """Yields the requests to send and the seconds to sleep, and reads the result of each request."""
        call, content, key = one.call, one.call.content(), one.call.key or str(uuid.uuid4())
        for retry in itertools.count():
            yield self._request(call, content, key)
            error: Union[BelfryError, BelfryNetworkError]
            if isinstance(one.result, httpx.Response):
                with suppress(json.JSONDecodeError):
                    if one.result.is_success:
                        one.answer = call.parse(one.result)
                        return
                error = BelfryError(one.result)
            else:
                # Only the beginning of the path, because the rest and the query may contain user ids.
                error = BelfryNetworkError(f"no answer to {call.method} {'/'.join(call.path.split('/')[:4])}")
                error.__cause__ = one.result
            pause = self._pause(error, retry)
            is_refused = isinstance(error, BelfryError) and error.status == 429
            if pause is None or retry >= self._retries or not (is_refused or call.is_repeatable()):
                raise error
            yield pause

    def _pause(self, error: Exception, retry: int) -> Optional[float]:
        if isinstance(error, BelfryError):
            if error.status == 429 and error.retry_after is not None:
                # A longer wait means a daily limit.
                return None if error.retry_after > self._longest_wait else error.retry_after
            if error.status < 500 and error.status != 429:
                return None
        # From half to all of the pause, so that many clients do not retry at the same moment.
        return float(min(0.5 * 2**retry, 8.0)) * (0.5 + random.random() / 2)

    def _request(self, call: Call[Any], content: Optional[bytes], key: str) -> httpx.Request:
        headers = {"x-api-key": self._api_key, "content-type": "application/json", **call.headers}
        if call.key_header is not None:
            headers[call.key_header] = key
        if content is None:
            del headers["content-type"]
        timeout = httpx.Timeout(max(self._timeout, call.timeout)).as_dict()
        url = httpx.URL(self._base_url + call.path, params=dict(call.query) or None)
        request = httpx.Request(call.method, url, headers=headers, content=content, extensions={"timeout": timeout})
        if self._secret is not None and call.is_signed:
            signed = content or b""
            if self._signs_time:
                at = request.headers["x-service-timestamp"] = str(int(time.time()))
                signed = b".".join([at.encode(), call.method.encode(), request.url.raw_path, signed])
            digest = hmac.new(self._secret.encode(), signed, hashlib.sha256).hexdigest()
            request.headers["x-service-signature"] = digest
        return request


class Sender(_Rules[httpx.Client]):
    _new_http = httpx.Client

    def _send(self, call: Call[T]) -> T:
        one = Exchange(call)
        for step in self._steps(one):
            if isinstance(step, float):
                time.sleep(step)
                continue
            try:
                # Without redirects, so that the API key is not sent to another address.
                one.result = self._http.send(step, auth=None, follow_redirects=False)
            except httpx.TransportError as error:
                one.result = error
        return one.answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()


class AsyncSender(_Rules[httpx.AsyncClient]):
    _new_http = httpx.AsyncClient

    async def _send(self, call: Call[T]) -> T:
        one = Exchange(call)
        for step in self._steps(one):
            if isinstance(step, float):
                await asyncio.sleep(step)
                continue
            try:
                one.result = await self._http.send(step, auth=None, follow_redirects=False)
            except httpx.TransportError as error:
                one.result = error
        return one.answer

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()
