"""A program around centrifuge-python for the tests of the realtime gateway: test/clients/programs.ts says what it speaks."""

import asyncio
import json
import sys

from centrifuge import Client, ClientEventHandler, ReplyError, SubscriptionEventHandler

settings = json.loads(sys.argv[1])
is_protobuf = settings["protocol"] == "protobuf"


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def read(data):
    return json.loads(data) if is_protobuf else data


class Events(ClientEventHandler):
    async def on_connected(self, ctx):
        say("connected", client=ctx.client)

    async def on_connecting(self, ctx):
        say("connecting", code=ctx.code)

    async def on_disconnected(self, ctx):
        say("disconnected", code=ctx.code, reason=ctx.reason)

    async def on_error(self, ctx):
        say("error", message=str(ctx.error))


class SubscriptionEvents(SubscriptionEventHandler):
    def __init__(self, channel):
        self.channel = channel

    async def on_subscribed(self, ctx):
        say("subscribed", channel=self.channel, wasRecovering=ctx.was_recovering, recovered=ctx.recovered)

    async def on_unsubscribed(self, ctx):
        say("unsubscribed", channel=self.channel, code=ctx.code)

    async def on_publication(self, ctx):
        pub = ctx.pub
        say("publication", channel=self.channel, offset=pub.offset, tags=dict(pub.tags), data=read(pub.data))


async def main():
    tokens = asyncio.Queue()

    async def get_token():
        say("token")
        return await tokens.get()

    client = Client(
        settings["url"],
        events=Events(),
        token=settings["token"],
        get_token=get_token,
        use_protobuf=is_protobuf,
        min_reconnect_delay=0.02,
        max_reconnect_delay=0.2,
    )
    for channel in settings["channels"]:
        subscription = client.new_subscription(
            channel,
            events=SubscriptionEvents(channel),
            min_resubscribe_delay=0.02,
            max_resubscribe_delay=0.2,
        )
        await subscription.subscribe()
    await client.connect()

    async def call(command):
        data = command["data"]
        try:
            result = await client.rpc(command["method"], json.dumps(data).encode() if is_protobuf else data)
            say("answer", id=command["id"], data=read(result.data))
        except ReplyError as error:
            say("answer", id=command["id"], code=error.code, message=error.message)

    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    calls = set()
    while line := await reader.readline():
        command = json.loads(line)
        if command["command"] == "token":
            tokens.put_nowait(command["token"])
        else:
            calls.add(asyncio.create_task(call(command)))


asyncio.run(main())
