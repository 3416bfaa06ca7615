"""Every call of the document as a method, without and with await."""

import datetime
from collections.abc import Mapping
from typing import Any, Optional, Union

from .._sender import AsyncSender, Sender
from .types import UNSET, Unset
from .api.events import trigger_event as _trigger_event
from .api.events import trigger_events as _trigger_events
from .api.events import show_event as _show_event
from .api.events import move_event as _move_event
from .api.events import list_scheduled_events as _list_scheduled_events
from .api.events import cancel_events as _cancel_events
from .api.realtime import create_realtime_token as _create_realtime_token
from .api.notifications import list_notifications as _list_notifications
from .api.notifications import count_unread as _count_unread
from .api.notifications import list_inbox_tabs as _list_inbox_tabs
from .api.notifications import mark_all_notifications_read as _mark_all_notifications_read
from .api.notifications import archive_all_notifications as _archive_all_notifications
from .api.notifications import mark_notification_read as _mark_notification_read
from .api.notifications import delete_notification as _delete_notification
from .api.notifications import change_notification as _change_notification
from .api.broadcasts import list_broadcasts as _list_broadcasts
from .api.broadcasts import create_broadcast as _create_broadcast
from .api.broadcasts import show_broadcast as _show_broadcast
from .api.broadcasts import pause_broadcast as _pause_broadcast
from .api.broadcasts import resume_broadcast as _resume_broadcast
from .api.broadcasts import cancel_broadcast as _cancel_broadcast
from .api.users import show_user as _show_user
from .api.users import put_user as _put_user
from .api.users import erase_user as _erase_user
from .api.users import put_users as _put_users
from .api.users import show_preferences as _show_preferences
from .api.users import change_preferences as _change_preferences
from .api.users import list_devices as _list_devices
from .api.users import put_device as _put_device
from .api.users import delete_device as _delete_device
from .api.users import show_erasure as _show_erasure
from .api.topics import list_topics as _list_topics
from .api.topics import list_members as _list_members
from .api.topics import change_members as _change_members
from .api.topics import delete_topic as _delete_topic
from .api.webhooks import list_webhooks as _list_webhooks
from .api.webhooks import put_webhook as _put_webhook
from .api.webhooks import show_webhook as _show_webhook
from .api.webhooks import delete_webhook as _delete_webhook
from .api.webhooks import change_webhook as _change_webhook
from .api.webhooks import rotate_webhook_secret as _rotate_webhook_secret
from .api.webhooks import list_webhook_attempts as _list_webhook_attempts
from .api.webhooks import list_webhook_messages as _list_webhook_messages
from .api.webhooks import show_webhook_message as _show_webhook_message
from .api.webhooks import test_webhook as _test_webhook
from .api.webhooks import resend_webhook_message as _resend_webhook_message
from .api.webhooks import replay_webhook as _replay_webhook
from .models.archive_all_response import ArchiveAllResponse
from .models.broadcast_request import BroadcastRequest
from .models.broadcast_response import BroadcastResponse
from .models.broadcasts_response import BroadcastsResponse
from .models.cancel_request import CancelRequest
from .models.cancel_response import CancelResponse
from .models.change_notification_request import ChangeNotificationRequest
from .models.change_preferences_request import ChangePreferencesRequest
from .models.device_request import DeviceRequest
from .models.device_response import DeviceResponse
from .models.devices_response import DevicesResponse
from .models.erasure_response import ErasureResponse
from .models.event_report import EventReport
from .models.history_response import HistoryResponse
from .models.inbox_tabs_response import InboxTabsResponse
from .models.list_notifications_view import check_list_notifications_view
from .models.list_notifications_view import ListNotificationsView
from .models.list_webhook_attempts_status import check_list_webhook_attempts_status
from .models.list_webhook_attempts_status import ListWebhookAttemptsStatus
from .models.list_webhook_messages_status import check_list_webhook_messages_status
from .models.list_webhook_messages_status import ListWebhookMessagesStatus
from .models.mark_all_read_response import MarkAllReadResponse
from .models.mark_read_response import MarkReadResponse
from .models.members_change_request import MembersChangeRequest
from .models.members_change_response import MembersChangeResponse
from .models.members_response import MembersResponse
from .models.move_request import MoveRequest
from .models.move_response import MoveResponse
from .models.preferences_response import PreferencesResponse
from .models.realtime_token_request import RealtimeTokenRequest
from .models.realtime_token_response import RealtimeTokenResponse
from .models.scheduled_response import ScheduledResponse
from .models.topic_deleted_response import TopicDeletedResponse
from .models.topics_response import TopicsResponse
from .models.trigger_batch_request import TriggerBatchRequest
from .models.trigger_batch_response import TriggerBatchResponse
from .models.trigger_request import TriggerRequest
from .models.trigger_response import TriggerResponse
from .models.unread_count_response import UnreadCountResponse
from .models.user_request import UserRequest
from .models.user_response import UserResponse
from .models.users_batch_request import UsersBatchRequest
from .models.users_batch_response import UsersBatchResponse
from .models.webhook_attempts_response import WebhookAttemptsResponse
from .models.webhook_change_request import WebhookChangeRequest
from .models.webhook_deleted_response import WebhookDeletedResponse
from .models.webhook_message_response import WebhookMessageResponse
from .models.webhook_messages_response import WebhookMessagesResponse
from .models.webhook_put_response import WebhookPutResponse
from .models.webhook_replay_request import WebhookReplayRequest
from .models.webhook_replay_response import WebhookReplayResponse
from .models.webhook_request import WebhookRequest
from .models.webhook_response import WebhookResponse
from .models.webhook_secret_response import WebhookSecretResponse
from .models.webhook_sent_response import WebhookSentResponse
from .models.webhooks_response import WebhooksResponse


class Calls(Sender):
    def show_event(self, event_id: str, ) -> EventReport:
        """Show an event

        Shows an event and its result on each channel, but neither its variables nor the rendered texts."""
        return self._send(_show_event.show_event(event_id, ))

    def move_event(self, event_id: str, body: Union[MoveRequest, Mapping[str, Any]], ) -> MoveResponse:
        """Change when a scheduled event is sent; a time in the past means now"""
        return self._send(_move_event.move_event(event_id, body, ))

    def list_scheduled_events(self, *, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> ScheduledResponse:
        """A tenant's scheduled events, the next one first

        The answer never contains the variables of an event."""
        return self._send(_list_scheduled_events.list_scheduled_events(limit=limit, after=after, ))

    def cancel_events(self, body: Union[CancelRequest, Mapping[str, Any]], ) -> CancelResponse:
        """Cancel what has not been sent yet of a tenant's events; at most 1,000 events per call

        Stops deliveries that have reached nobody, and returns for each event what was stopped. Nothing that
        the answer names as cancelled or stopped is sent later. An event in a digest is removed from the
        digest. An event with an attempt in progress is pending: if that attempt fails, there is no other;
        repeat the call to learn the result. If an attempt got no answer, the provider may have the message,
        so it counts as sent and is not retried. If an event had no X-Idempotency-Key, the same trigger
        afterwards is a new event. Cancelled events still count towards the daily cap. For all other events
        a repeated call returns the same result."""
        return self._send(_cancel_events.cancel_events(body, ))

    def create_realtime_token(self, body: Union[RealtimeTokenRequest, Mapping[str, Any]], ) -> RealtimeTokenResponse:
        """Request a realtime token

        A connection token for one user's browser, valid for 2 hours, and the channels to subscribe to."""
        return self._send(_create_realtime_token.create_realtime_token(body, ))

    def list_notifications(self, tenant_id: str, user_id: str, *, limit: Union[Unset, int] = 50, offset: Union[Unset, int] = 0, view: Union[Unset, ListNotificationsView] = UNSET, category: Union[Unset, str] = UNSET, ) -> HistoryResponse:
        """Fetch the notification history

        Returns one user's inbox: the in-app notifications (PUSH) in the order in which their events were
        accepted, newest first. A snoozed one is ordered by the time at which it returns."""
        return self._send(_list_notifications.list_notifications(tenant_id, user_id, limit=limit, offset=offset, view=view, category=category, ))

    def count_unread(self, tenant_id: str, user_id: str, ) -> UnreadCountResponse:
        """Count the unread notifications

        Counts one user's inbox. Archived and snoozed items do not count."""
        return self._send(_count_unread.count_unread(tenant_id, user_id, ))

    def list_inbox_tabs(self, tenant_id: str, user_id: str, ) -> InboxTabsResponse:
        """List the tabs of an inbox

        Returns the categories of the items in one user's inbox, each with its unread count, and whether any
        item is archived or snoozed. An item whose event type has no category is in none of them."""
        return self._send(_list_inbox_tabs.list_inbox_tabs(tenant_id, user_id, ))

    def mark_all_notifications_read(self, tenant_id: str, user_id: str, *, category: Union[Unset, str] = UNSET, ) -> MarkAllReadResponse:
        """Mark the whole inbox as read

        Takes no body. Snoozed items stay unread."""
        return self._send(_mark_all_notifications_read.mark_all_notifications_read(tenant_id, user_id, category=category, ))

    def archive_all_notifications(self, tenant_id: str, user_id: str, *, category: Union[Unset, str] = UNSET, ) -> ArchiveAllResponse:
        """Archive the whole inbox

        Takes no body. Unread items become read; snoozed items stay snoozed."""
        return self._send(_archive_all_notifications.archive_all_notifications(tenant_id, user_id, category=category, ))

    def mark_notification_read(self, tenant_id: str, user_id: str, notification_id: str, ) -> MarkReadResponse:
        """Mark a notification as read

        Takes no body. Marking an item that is already read changes nothing and is answered 200."""
        return self._send(_mark_notification_read.mark_notification_read(tenant_id, user_id, notification_id, ))

    def delete_notification(self, tenant_id: str, user_id: str, notification_id: str, ) -> MarkReadResponse:
        """Delete a notification

        Takes no body. The item's texts and links are erased, and it is in no list any more; the event's
        timeline shows this. It counts as read."""
        return self._send(_delete_notification.delete_notification(tenant_id, user_id, notification_id, ))

    def change_notification(self, tenant_id: str, user_id: str, notification_id: str, body: Union[ChangeNotificationRequest, Mapping[str, Any]], ) -> MarkReadResponse:
        """Archive, snooze or mark a notification

        Sets whether an item is read, archived or snoozed. A change that is already made is answered 200,
        too."""
        return self._send(_change_notification.change_notification(tenant_id, user_id, notification_id, body, ))

    def list_broadcasts(self, *, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> BroadcastsResponse:
        """List a tenant's broadcasts, the newest first"""
        return self._send(_list_broadcasts.list_broadcasts(limit=limit, after=after, ))

    def create_broadcast(self, body: Union[BroadcastRequest, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> BroadcastResponse:
        """Send one event to the members of topics, or to a list of users

        Users are reached at their stored addresses. Each user gets the message once, as a separate event,
        with the current templates and the user's preferences. The tenant's other messages are sent before
        it. It uses at most a part of the tenant's daily cap."""
        return self._send(_create_broadcast.create_broadcast(body, idempotency_key=idempotency_key))

    def show_broadcast(self, broadcast_id: str, ) -> BroadcastResponse:
        """Show how far a broadcast is"""
        return self._send(_show_broadcast.show_broadcast(broadcast_id, ))

    def pause_broadcast(self, broadcast_id: str, ) -> BroadcastResponse:
        """Pause a broadcast: nothing more is sent until it is resumed

        Messages that are on their way to a provider at that moment, about one second's worth, are still
        delivered. Send no body; if a signature is needed, sign the empty text."""
        return self._send(_pause_broadcast.pause_broadcast(broadcast_id, ))

    def resume_broadcast(self, broadcast_id: str, ) -> BroadcastResponse:
        """Resume a paused broadcast where it stopped

        If the reason for the pause still holds, such as a missing provider, the broadcast pauses again.
        Send no body; if a signature is needed, sign the empty text."""
        return self._send(_resume_broadcast.resume_broadcast(broadcast_id, ))

    def cancel_broadcast(self, broadcast_id: str, ) -> BroadcastResponse:
        """Cancel a broadcast: nothing more is sent after the answer

        A call to a provider that is in progress may still deliver. Belfry counts in the background how many
        events reached nobody (`cancelled`) and for how many it was too late (`tooLate`); both are final
        once the state is cancelled. Send no body; if a signature is needed, sign the empty text."""
        return self._send(_cancel_broadcast.cancel_broadcast(broadcast_id, ))

    def show_user(self, user_id: str, ) -> UserResponse:
        """Show a user's stored entry"""
        return self._send(_show_user.show_user(user_id, ))

    def put_user(self, user_id: str, body: Union[UserRequest, Mapping[str, Any]], ) -> UserResponse:
        """Replace a user's entry; fields that are not given are deleted

        It applies to every event that is dispatched from then on."""
        return self._send(_put_user.put_user(user_id, body, ))

    def erase_user(self, user_id: str, ) -> ErasureResponse:
        """Erase a user

        Addresses, preferences and memberships of topics are deleted at once; everything else is deleted in
        the background, one user of a tenant at a time. While an erasure of the user is open, the answer is
        that one. Waiting messages are no longer sent. Suppressed addresses stay suppressed. Stop sending to
        the user first: events that are accepted meanwhile may stay. Send no body; if a signature is needed,
        sign the empty text."""
        return self._send(_erase_user.erase_user(user_id, ))

    def put_users(self, body: Union[UsersBatchRequest, Mapping[str, Any]], ) -> UsersBatchResponse:
        """Store many users

        The valid users are stored together, even if others are invalid. There is a result for each."""
        return self._send(_put_users.put_users(body, ))

    def show_preferences(self, user_id: str, ) -> PreferencesResponse:
        """A user's preferences, where and when each was set, and the categories

        Works for any user id, because a tenant need not have stored its users."""
        return self._send(_show_preferences.show_preferences(user_id, ))

    def change_preferences(self, user_id: str, body: Union[ChangePreferencesRequest, Mapping[str, Any]], ) -> PreferencesResponse:
        """Change a user's preferences

        Changes all given cells, or none if one is invalid. The others keep their values. It applies to
        every event that is dispatched from then on. An off in one cell always wins over an on in another
        cell, and a required category cannot be turned off."""
        return self._send(_change_preferences.change_preferences(user_id, body, ))

    def list_devices(self, user_id: str, ) -> DevicesResponse:
        """List a user's devices, and the key with which a browser subscribes"""
        return self._send(_list_devices.list_devices(user_id, ))

    def put_device(self, user_id: str, device_id: str, body: Union[DeviceRequest, Mapping[str, Any]], ) -> DeviceResponse:
        """Register a user's device, or register it again

        A token that another user of the tenant registered moves to this user. A user has at most 20
        devices: beyond them, the one that was not registered again for longest is deleted, browsers that
        registered themselves before any other. Register a device again at each start of the app."""
        return self._send(_put_device.put_device(user_id, device_id, body, ))

    def delete_device(self, user_id: str, device_id: str, ) -> DeviceResponse:
        """Remove a user's device: nothing more is sent to it

         Send no body; if a signature is needed, sign the empty text."""
        return self._send(_delete_device.delete_device(user_id, device_id, ))

    def show_erasure(self, erasure_id: str, ) -> ErasureResponse:
        """Show how far an erasure is

        Belfry keeps the erasure as long as events. It does not contain the user's id."""
        return self._send(_show_erasure.show_erasure(erasure_id, ))

    def list_topics(self, *, after: Union[Unset, str] = UNSET, limit: Union[Unset, int] = 100, ) -> TopicsResponse:
        """A tenant's topics by their keys, each with the number of its members"""
        return self._send(_list_topics.list_topics(after=after, limit=limit, ))

    def list_members(self, key: str, *, after: Union[Unset, str] = UNSET, limit: Union[Unset, int] = 100, search: Union[Unset, str] = UNSET, ) -> MembersResponse:
        """The user ids in a topic, in the order of their bytes"""
        return self._send(_list_members.list_members(key, after=after, limit=limit, search=search, ))

    def change_members(self, key: str, body: Union[MembersChangeRequest, Mapping[str, Any]], ) -> MembersChangeResponse:
        """Add users to a topic and remove users from it; adding the first one creates the topic

        Makes all of the changes or none. Adding a user that is in the topic, or removing one that is not,
        changes nothing, so a call can be repeated. The users need not be stored."""
        return self._send(_change_members.change_members(key, body, ))

    def delete_topic(self, key: str, ) -> TopicDeletedResponse:
        """Delete a topic; its users stay

        The topic no longer exists after the answer. If it has more than 10,000 members, the rest of them
        are deleted in the background; until then no topic with this key can be created. Send no body; if a
        signature is needed, sign the empty text."""
        return self._send(_delete_topic.delete_topic(key, ))

    def list_webhooks(self, ) -> WebhooksResponse:
        """List endpoints

        Endpoints that get webhooks about your events. Never shows their secrets."""
        return self._send(_list_webhooks.list_webhooks())

    def put_webhook(self, body: Union[WebhookRequest, Mapping[str, Any]], ) -> WebhookPutResponse:
        """Create an endpoint

        Creates an endpoint, or changes the one with this URL. If the endpoint is new, the answer has its
        secret, only this once; rotate the secret if the answer is lost. A tenant has at most 20 endpoints.
        The change applies to all results after the answer."""
        return self._send(_put_webhook.put_webhook(body, ))

    def show_webhook(self, webhook_id: str, ) -> WebhookResponse:
        """Show an endpoint

        Shows the endpoint's settings, and whether it can be reached."""
        return self._send(_show_webhook.show_webhook(webhook_id, ))

    def delete_webhook(self, webhook_id: str, ) -> WebhookDeletedResponse:
        """Delete an endpoint

        Also deletes the endpoint's messages and their attempts. A message that is being sent is not
        retried. Send no body; if a signature is needed, sign the empty text."""
        return self._send(_delete_webhook.delete_webhook(webhook_id, ))

    def change_webhook(self, webhook_id: str, body: Union[WebhookChangeRequest, Mapping[str, Any]], ) -> WebhookResponse:
        """Change an endpoint

        Changes its URL, types and description. `active: false` stops it, and `active: true` starts it
        again. A replay sends the messages that it missed."""
        return self._send(_change_webhook.change_webhook(webhook_id, body, ))

    def rotate_webhook_secret(self, webhook_id: str, ) -> WebhookSecretResponse:
        """Rotate an endpoint's secret

        The answer shows a new secret, only once. For 24 hours messages have two signatures: the new
        secret's and the previous one's. If you rotate twice within 10 minutes, the secret from before both
        rotations signs instead of the one in between. Send no body; if a signature is needed, sign the
        empty text."""
        return self._send(_rotate_webhook_secret.rotate_webhook_secret(webhook_id, ))

    def list_webhook_attempts(self, webhook_id: str, *, status: Union[Unset, ListWebhookAttemptsStatus] = UNSET, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> WebhookAttemptsResponse:
        """List attempts

        Returns all calls of an endpoint with their answers."""
        return self._send(_list_webhook_attempts.list_webhook_attempts(webhook_id, status=status, limit=limit, after=after, ))

    def list_webhook_messages(self, webhook_id: str, *, status: Union[Unset, ListWebhookMessagesStatus] = UNSET, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> WebhookMessagesResponse:
        """List messages

        Returns an endpoint's messages, including those that have not been tried. They are kept as long as
        your events."""
        return self._send(_list_webhook_messages.list_webhook_messages(webhook_id, status=status, limit=limit, after=after, ))

    def show_webhook_message(self, webhook_id: str, message_id: str, ) -> WebhookMessageResponse:
        """Show a message

        Returns the posted body and all attempts."""
        return self._send(_show_webhook_message.show_webhook_message(webhook_id, message_id, ))

    def test_webhook(self, webhook_id: str, ) -> WebhookSentResponse:
        """Send a test message

        Sends a message of type webhook.test, whichever types the endpoint gets. A paused endpoint is called
        at once. Send no body; if a signature is needed, sign the empty text."""
        return self._send(_test_webhook.test_webhook(webhook_id, ))

    def resend_webhook_message(self, webhook_id: str, message_id: str, ) -> WebhookSentResponse:
        """Send a message again

        Sends the message again with the same webhook-id, whatever its result was. A paused endpoint is
        called at once. The answer is 409 while a message with this webhook-id is being sent. Send no body;
        if a signature is needed, sign the empty text."""
        return self._send(_resend_webhook_message.resend_webhook_message(webhook_id, message_id, ))

    def replay_webhook(self, webhook_id: str, body: Union[WebhookReplayRequest, Mapping[str, Any]], ) -> WebhookReplayResponse:
        """Send a window again

        Sends all messages of a time range that did not arrive, the oldest first, each with its webhook-id.
        It leaves out messages that are being sent, and sends at most 10,000 per call. A paused endpoint is
        called at once. Events from a time when the endpoint was not active have no messages, so they cannot
        be sent."""
        return self._send(_replay_webhook.replay_webhook(webhook_id, body, ))


class AsyncCalls(AsyncSender):
    async def show_event(self, event_id: str, ) -> EventReport:
        """Show an event

        Shows an event and its result on each channel, but neither its variables nor the rendered texts."""
        return await self._send(_show_event.show_event(event_id, ))

    async def move_event(self, event_id: str, body: Union[MoveRequest, Mapping[str, Any]], ) -> MoveResponse:
        """Change when a scheduled event is sent; a time in the past means now"""
        return await self._send(_move_event.move_event(event_id, body, ))

    async def list_scheduled_events(self, *, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> ScheduledResponse:
        """A tenant's scheduled events, the next one first

        The answer never contains the variables of an event."""
        return await self._send(_list_scheduled_events.list_scheduled_events(limit=limit, after=after, ))

    async def cancel_events(self, body: Union[CancelRequest, Mapping[str, Any]], ) -> CancelResponse:
        """Cancel what has not been sent yet of a tenant's events; at most 1,000 events per call

        Stops deliveries that have reached nobody, and returns for each event what was stopped. Nothing that
        the answer names as cancelled or stopped is sent later. An event in a digest is removed from the
        digest. An event with an attempt in progress is pending: if that attempt fails, there is no other;
        repeat the call to learn the result. If an attempt got no answer, the provider may have the message,
        so it counts as sent and is not retried. If an event had no X-Idempotency-Key, the same trigger
        afterwards is a new event. Cancelled events still count towards the daily cap. For all other events
        a repeated call returns the same result."""
        return await self._send(_cancel_events.cancel_events(body, ))

    async def create_realtime_token(self, body: Union[RealtimeTokenRequest, Mapping[str, Any]], ) -> RealtimeTokenResponse:
        """Request a realtime token

        A connection token for one user's browser, valid for 2 hours, and the channels to subscribe to."""
        return await self._send(_create_realtime_token.create_realtime_token(body, ))

    async def list_notifications(self, tenant_id: str, user_id: str, *, limit: Union[Unset, int] = 50, offset: Union[Unset, int] = 0, view: Union[Unset, ListNotificationsView] = UNSET, category: Union[Unset, str] = UNSET, ) -> HistoryResponse:
        """Fetch the notification history

        Returns one user's inbox: the in-app notifications (PUSH) in the order in which their events were
        accepted, newest first. A snoozed one is ordered by the time at which it returns."""
        return await self._send(_list_notifications.list_notifications(tenant_id, user_id, limit=limit, offset=offset, view=view, category=category, ))

    async def count_unread(self, tenant_id: str, user_id: str, ) -> UnreadCountResponse:
        """Count the unread notifications

        Counts one user's inbox. Archived and snoozed items do not count."""
        return await self._send(_count_unread.count_unread(tenant_id, user_id, ))

    async def list_inbox_tabs(self, tenant_id: str, user_id: str, ) -> InboxTabsResponse:
        """List the tabs of an inbox

        Returns the categories of the items in one user's inbox, each with its unread count, and whether any
        item is archived or snoozed. An item whose event type has no category is in none of them."""
        return await self._send(_list_inbox_tabs.list_inbox_tabs(tenant_id, user_id, ))

    async def mark_all_notifications_read(self, tenant_id: str, user_id: str, *, category: Union[Unset, str] = UNSET, ) -> MarkAllReadResponse:
        """Mark the whole inbox as read

        Takes no body. Snoozed items stay unread."""
        return await self._send(_mark_all_notifications_read.mark_all_notifications_read(tenant_id, user_id, category=category, ))

    async def archive_all_notifications(self, tenant_id: str, user_id: str, *, category: Union[Unset, str] = UNSET, ) -> ArchiveAllResponse:
        """Archive the whole inbox

        Takes no body. Unread items become read; snoozed items stay snoozed."""
        return await self._send(_archive_all_notifications.archive_all_notifications(tenant_id, user_id, category=category, ))

    async def mark_notification_read(self, tenant_id: str, user_id: str, notification_id: str, ) -> MarkReadResponse:
        """Mark a notification as read

        Takes no body. Marking an item that is already read changes nothing and is answered 200."""
        return await self._send(_mark_notification_read.mark_notification_read(tenant_id, user_id, notification_id, ))

    async def delete_notification(self, tenant_id: str, user_id: str, notification_id: str, ) -> MarkReadResponse:
        """Delete a notification

        Takes no body. The item's texts and links are erased, and it is in no list any more; the event's
        timeline shows this. It counts as read."""
        return await self._send(_delete_notification.delete_notification(tenant_id, user_id, notification_id, ))

    async def change_notification(self, tenant_id: str, user_id: str, notification_id: str, body: Union[ChangeNotificationRequest, Mapping[str, Any]], ) -> MarkReadResponse:
        """Archive, snooze or mark a notification

        Sets whether an item is read, archived or snoozed. A change that is already made is answered 200,
        too."""
        return await self._send(_change_notification.change_notification(tenant_id, user_id, notification_id, body, ))

    async def list_broadcasts(self, *, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> BroadcastsResponse:
        """List a tenant's broadcasts, the newest first"""
        return await self._send(_list_broadcasts.list_broadcasts(limit=limit, after=after, ))

    async def create_broadcast(self, body: Union[BroadcastRequest, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> BroadcastResponse:
        """Send one event to the members of topics, or to a list of users

        Users are reached at their stored addresses. Each user gets the message once, as a separate event,
        with the current templates and the user's preferences. The tenant's other messages are sent before
        it. It uses at most a part of the tenant's daily cap."""
        return await self._send(_create_broadcast.create_broadcast(body, idempotency_key=idempotency_key))

    async def show_broadcast(self, broadcast_id: str, ) -> BroadcastResponse:
        """Show how far a broadcast is"""
        return await self._send(_show_broadcast.show_broadcast(broadcast_id, ))

    async def pause_broadcast(self, broadcast_id: str, ) -> BroadcastResponse:
        """Pause a broadcast: nothing more is sent until it is resumed

        Messages that are on their way to a provider at that moment, about one second's worth, are still
        delivered. Send no body; if a signature is needed, sign the empty text."""
        return await self._send(_pause_broadcast.pause_broadcast(broadcast_id, ))

    async def resume_broadcast(self, broadcast_id: str, ) -> BroadcastResponse:
        """Resume a paused broadcast where it stopped

        If the reason for the pause still holds, such as a missing provider, the broadcast pauses again.
        Send no body; if a signature is needed, sign the empty text."""
        return await self._send(_resume_broadcast.resume_broadcast(broadcast_id, ))

    async def cancel_broadcast(self, broadcast_id: str, ) -> BroadcastResponse:
        """Cancel a broadcast: nothing more is sent after the answer

        A call to a provider that is in progress may still deliver. Belfry counts in the background how many
        events reached nobody (`cancelled`) and for how many it was too late (`tooLate`); both are final
        once the state is cancelled. Send no body; if a signature is needed, sign the empty text."""
        return await self._send(_cancel_broadcast.cancel_broadcast(broadcast_id, ))

    async def show_user(self, user_id: str, ) -> UserResponse:
        """Show a user's stored entry"""
        return await self._send(_show_user.show_user(user_id, ))

    async def put_user(self, user_id: str, body: Union[UserRequest, Mapping[str, Any]], ) -> UserResponse:
        """Replace a user's entry; fields that are not given are deleted

        It applies to every event that is dispatched from then on."""
        return await self._send(_put_user.put_user(user_id, body, ))

    async def erase_user(self, user_id: str, ) -> ErasureResponse:
        """Erase a user

        Addresses, preferences and memberships of topics are deleted at once; everything else is deleted in
        the background, one user of a tenant at a time. While an erasure of the user is open, the answer is
        that one. Waiting messages are no longer sent. Suppressed addresses stay suppressed. Stop sending to
        the user first: events that are accepted meanwhile may stay. Send no body; if a signature is needed,
        sign the empty text."""
        return await self._send(_erase_user.erase_user(user_id, ))

    async def put_users(self, body: Union[UsersBatchRequest, Mapping[str, Any]], ) -> UsersBatchResponse:
        """Store many users

        The valid users are stored together, even if others are invalid. There is a result for each."""
        return await self._send(_put_users.put_users(body, ))

    async def show_preferences(self, user_id: str, ) -> PreferencesResponse:
        """A user's preferences, where and when each was set, and the categories

        Works for any user id, because a tenant need not have stored its users."""
        return await self._send(_show_preferences.show_preferences(user_id, ))

    async def change_preferences(self, user_id: str, body: Union[ChangePreferencesRequest, Mapping[str, Any]], ) -> PreferencesResponse:
        """Change a user's preferences

        Changes all given cells, or none if one is invalid. The others keep their values. It applies to
        every event that is dispatched from then on. An off in one cell always wins over an on in another
        cell, and a required category cannot be turned off."""
        return await self._send(_change_preferences.change_preferences(user_id, body, ))

    async def list_devices(self, user_id: str, ) -> DevicesResponse:
        """List a user's devices, and the key with which a browser subscribes"""
        return await self._send(_list_devices.list_devices(user_id, ))

    async def put_device(self, user_id: str, device_id: str, body: Union[DeviceRequest, Mapping[str, Any]], ) -> DeviceResponse:
        """Register a user's device, or register it again

        A token that another user of the tenant registered moves to this user. A user has at most 20
        devices: beyond them, the one that was not registered again for longest is deleted, browsers that
        registered themselves before any other. Register a device again at each start of the app."""
        return await self._send(_put_device.put_device(user_id, device_id, body, ))

    async def delete_device(self, user_id: str, device_id: str, ) -> DeviceResponse:
        """Remove a user's device: nothing more is sent to it

         Send no body; if a signature is needed, sign the empty text."""
        return await self._send(_delete_device.delete_device(user_id, device_id, ))

    async def show_erasure(self, erasure_id: str, ) -> ErasureResponse:
        """Show how far an erasure is

        Belfry keeps the erasure as long as events. It does not contain the user's id."""
        return await self._send(_show_erasure.show_erasure(erasure_id, ))

    async def list_topics(self, *, after: Union[Unset, str] = UNSET, limit: Union[Unset, int] = 100, ) -> TopicsResponse:
        """A tenant's topics by their keys, each with the number of its members"""
        return await self._send(_list_topics.list_topics(after=after, limit=limit, ))

    async def list_members(self, key: str, *, after: Union[Unset, str] = UNSET, limit: Union[Unset, int] = 100, search: Union[Unset, str] = UNSET, ) -> MembersResponse:
        """The user ids in a topic, in the order of their bytes"""
        return await self._send(_list_members.list_members(key, after=after, limit=limit, search=search, ))

    async def change_members(self, key: str, body: Union[MembersChangeRequest, Mapping[str, Any]], ) -> MembersChangeResponse:
        """Add users to a topic and remove users from it; adding the first one creates the topic

        Makes all of the changes or none. Adding a user that is in the topic, or removing one that is not,
        changes nothing, so a call can be repeated. The users need not be stored."""
        return await self._send(_change_members.change_members(key, body, ))

    async def delete_topic(self, key: str, ) -> TopicDeletedResponse:
        """Delete a topic; its users stay

        The topic no longer exists after the answer. If it has more than 10,000 members, the rest of them
        are deleted in the background; until then no topic with this key can be created. Send no body; if a
        signature is needed, sign the empty text."""
        return await self._send(_delete_topic.delete_topic(key, ))

    async def list_webhooks(self, ) -> WebhooksResponse:
        """List endpoints

        Endpoints that get webhooks about your events. Never shows their secrets."""
        return await self._send(_list_webhooks.list_webhooks())

    async def put_webhook(self, body: Union[WebhookRequest, Mapping[str, Any]], ) -> WebhookPutResponse:
        """Create an endpoint

        Creates an endpoint, or changes the one with this URL. If the endpoint is new, the answer has its
        secret, only this once; rotate the secret if the answer is lost. A tenant has at most 20 endpoints.
        The change applies to all results after the answer."""
        return await self._send(_put_webhook.put_webhook(body, ))

    async def show_webhook(self, webhook_id: str, ) -> WebhookResponse:
        """Show an endpoint

        Shows the endpoint's settings, and whether it can be reached."""
        return await self._send(_show_webhook.show_webhook(webhook_id, ))

    async def delete_webhook(self, webhook_id: str, ) -> WebhookDeletedResponse:
        """Delete an endpoint

        Also deletes the endpoint's messages and their attempts. A message that is being sent is not
        retried. Send no body; if a signature is needed, sign the empty text."""
        return await self._send(_delete_webhook.delete_webhook(webhook_id, ))

    async def change_webhook(self, webhook_id: str, body: Union[WebhookChangeRequest, Mapping[str, Any]], ) -> WebhookResponse:
        """Change an endpoint

        Changes its URL, types and description. `active: false` stops it, and `active: true` starts it
        again. A replay sends the messages that it missed."""
        return await self._send(_change_webhook.change_webhook(webhook_id, body, ))

    async def rotate_webhook_secret(self, webhook_id: str, ) -> WebhookSecretResponse:
        """Rotate an endpoint's secret

        The answer shows a new secret, only once. For 24 hours messages have two signatures: the new
        secret's and the previous one's. If you rotate twice within 10 minutes, the secret from before both
        rotations signs instead of the one in between. Send no body; if a signature is needed, sign the
        empty text."""
        return await self._send(_rotate_webhook_secret.rotate_webhook_secret(webhook_id, ))

    async def list_webhook_attempts(self, webhook_id: str, *, status: Union[Unset, ListWebhookAttemptsStatus] = UNSET, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> WebhookAttemptsResponse:
        """List attempts

        Returns all calls of an endpoint with their answers."""
        return await self._send(_list_webhook_attempts.list_webhook_attempts(webhook_id, status=status, limit=limit, after=after, ))

    async def list_webhook_messages(self, webhook_id: str, *, status: Union[Unset, ListWebhookMessagesStatus] = UNSET, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> WebhookMessagesResponse:
        """List messages

        Returns an endpoint's messages, including those that have not been tried. They are kept as long as
        your events."""
        return await self._send(_list_webhook_messages.list_webhook_messages(webhook_id, status=status, limit=limit, after=after, ))

    async def show_webhook_message(self, webhook_id: str, message_id: str, ) -> WebhookMessageResponse:
        """Show a message

        Returns the posted body and all attempts."""
        return await self._send(_show_webhook_message.show_webhook_message(webhook_id, message_id, ))

    async def test_webhook(self, webhook_id: str, ) -> WebhookSentResponse:
        """Send a test message

        Sends a message of type webhook.test, whichever types the endpoint gets. A paused endpoint is called
        at once. Send no body; if a signature is needed, sign the empty text."""
        return await self._send(_test_webhook.test_webhook(webhook_id, ))

    async def resend_webhook_message(self, webhook_id: str, message_id: str, ) -> WebhookSentResponse:
        """Send a message again

        Sends the message again with the same webhook-id, whatever its result was. A paused endpoint is
        called at once. The answer is 409 while a message with this webhook-id is being sent. Send no body;
        if a signature is needed, sign the empty text."""
        return await self._send(_resend_webhook_message.resend_webhook_message(webhook_id, message_id, ))

    async def replay_webhook(self, webhook_id: str, body: Union[WebhookReplayRequest, Mapping[str, Any]], ) -> WebhookReplayResponse:
        """Send a window again

        Sends all messages of a time range that did not arrive, the oldest first, each with its webhook-id.
        It leaves out messages that are being sent, and sends at most 10,000 per call. A paused endpoint is
        called at once. Events from a time when the endpoint was not active have no messages, so they cannot
        be sent."""
        return await self._send(_replay_webhook.replay_webhook(webhook_id, body, ))

