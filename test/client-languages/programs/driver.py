"""Makes the calls that it reads, a line each, and prints what came of each. `driver.py async` awaits them."""

import asyncio
import base64
import dataclasses
import json
import sys

import belfry
from belfry.manage import AsyncManagement, Management

KINDS = {
    "sync": {"tenant": belfry.Belfry, "management": Management},
    "async": {"tenant": belfry.AsyncBelfry, "management": AsyncManagement},
}[sys.argv[1]]


def method_of(command):
    client = KINDS[command["client"]](**command["options"])
    arguments = command["args"]
    if command["call"] == "upload_attachment":
        arguments[2] = base64.b64decode(arguments[2])
    named = {} if command.get("key") is None else {"idempotency_key": command["key"]}
    return lambda: getattr(client, command["call"])(*arguments, **named)


def told(answer):
    return {"answer": answer.to_dict() if hasattr(answer, "to_dict") else dataclasses.asdict(answer)}


def error_of(error):
    fields = {} if not isinstance(error, belfry.BelfryError) else vars(error)
    names = {"BelfryError": "answer", "BelfryNetworkError": "network", "CancelledError": "cancelled"}
    kind = names.get(type(error).__name__, repr(error))
    return {"error": {"kind": kind, "text": str(error), **fields}}


def run_sync():
    for line in sys.stdin:
        try:
            yield told(method_of(json.loads(line))())
        except Exception as error:
            yield error_of(error)


async def run_async():
    loop, task = asyncio.get_running_loop(), None

    async def make(method):
        try:
            tell(told(await method()))
        except (Exception, asyncio.CancelledError) as error:
            tell(error_of(error))

    while line := await loop.run_in_executor(None, sys.stdin.readline):
        if json.loads(line) == "cancel":
            task.cancel()
        else:
            task = asyncio.create_task(make(method_of(json.loads(line))))


def tell(result):
    print(json.dumps(result, default=str), flush=True)


if sys.argv[1] == "async":
    asyncio.run(run_async())
else:
    for one in run_sync():
        tell(one)
