import asyncio
import os

from belfry import AsyncBelfry


async def main() -> None:
    async with AsyncBelfry(os.environ["BELFRY_URL"], os.environ["BELFRY_API_KEY"]) as belfry:
        # A topic: everybody who follows a release. A repeated call changes nothing.
        changed = await belfry.change_members("release-notes", {"add": ["reader-1", "reader-2"]})
        print("members:", changed.members)

        # One event to all of them, in the background. The same key again sends nothing more.
        created = await belfry.create_broadcast(
            {
                "topics": ["release-notes"],
                "eventType": "global.info",
                "variables": {"title": "Release 7", "message": "Dark mode is here."},
            },
            idempotency_key="release-7",
        )
        broadcast = created.data
        while broadcast.state != "done":
            await asyncio.sleep(0.5)
            broadcast = (await belfry.show_broadcast(broadcast.id)).data
        print("people:", broadcast.expanded)

        # Many events in one call. Each has a status of its own.
        reminder = {"eventType": "global.info", "variables": {"title": "Tomorrow"}, "cancelKey": "appointment-9"}
        batch = await belfry.trigger_batch(
            {**reminder, "payload": {"userId": user}, "delaySeconds": 3600} for user in ["reader-1", "reader-2"]
        )
        print("scheduled:", [one.status_code for one in batch.results])
        cancelled = await belfry.cancel_events({"cancelKeys": ["appointment-9"]})
        print("cancelled:", len(cancelled.cancelled))

        # A token for one user's browser and its inbox.
        token = await belfry.create_realtime_token({"userId": "reader-1"})
        print("inbox:", "personal#reader-1" in token.channels)


asyncio.run(main())
