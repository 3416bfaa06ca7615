"""The client for pipelines: `Management` and `AsyncManagement`, with a key of the role `manage` or `provision`."""

from .management.client import AsyncCalls, Calls


class Management(Calls):
    # Longer than for a trigger, because publishing compiles every language of a template.
    _timeout, _signs_time = 60.0, True


class AsyncManagement(AsyncCalls):
    _timeout, _signs_time = 60.0, True
