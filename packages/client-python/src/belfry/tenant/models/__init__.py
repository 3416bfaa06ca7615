""" Contains all the data models used in inputs/outputs """

from .archive_all_response import ArchiveAllResponse
from .archive_all_response_data import ArchiveAllResponseData
from .attachment_response import AttachmentResponse
from .attachment_response_data import AttachmentResponseData
from .attempt_report import AttemptReport
from .broadcast import Broadcast
from .broadcast_by_status import BroadcastByStatus
from .broadcast_request import BroadcastRequest
from .broadcast_request_channels_item import BroadcastRequestChannelsItem
from .broadcast_request_variables import BroadcastRequestVariables
from .broadcast_response import BroadcastResponse
from .broadcasts_response import BroadcastsResponse
from .cancel_request import CancelRequest
from .cancel_response import CancelResponse
from .cancel_response_partly_item import CancelResponsePartlyItem
from .change_notification_request import ChangeNotificationRequest
from .change_preferences_request import ChangePreferencesRequest
from .change_preferences_request_preferences_item import ChangePreferencesRequestPreferencesItem
from .change_preferences_request_preferences_item_channel import ChangePreferencesRequestPreferencesItemChannel
from .channel_report import ChannelReport
from .channel_report_notification import ChannelReportNotification
from .delivery_report import DeliveryReport
from .device import Device
from .device_request import DeviceRequest
from .device_request_environment import DeviceRequestEnvironment
from .device_request_kind import DeviceRequestKind
from .device_request_subscription import DeviceRequestSubscription
from .device_request_subscription_keys import DeviceRequestSubscriptionKeys
from .device_response import DeviceResponse
from .devices_response import DevicesResponse
from .devices_response_data import DevicesResponseData
from .digest_report import DigestReport
from .erasure_response import ErasureResponse
from .erasure_response_data import ErasureResponseData
from .erasure_response_data_deleted_type_0 import ErasureResponseDataDeletedType0
from .event_report import EventReport
from .event_report_channels import EventReportChannels
from .event_report_email import EventReportEmail
from .event_report_email_attachments_item import EventReportEmailAttachmentsItem
from .event_report_timeline_item import EventReportTimelineItem
from .history_response import HistoryResponse
from .inbox_tabs import InboxTabs
from .inbox_tabs_categories_item import InboxTabsCategoriesItem
from .inbox_tabs_categories_item_label import InboxTabsCategoriesItemLabel
from .inbox_tabs_response import InboxTabsResponse
from .list_notifications_view import ListNotificationsView
from .list_webhook_attempts_status import ListWebhookAttemptsStatus
from .list_webhook_messages_status import ListWebhookMessagesStatus
from .mark_all_read_response import MarkAllReadResponse
from .mark_all_read_response_data import MarkAllReadResponseData
from .mark_read_response import MarkReadResponse
from .members_change_request import MembersChangeRequest
from .members_change_response import MembersChangeResponse
from .members_response import MembersResponse
from .move_request import MoveRequest
from .move_response import MoveResponse
from .notification import Notification
from .preferences_response import PreferencesResponse
from .preferences_response_data import PreferencesResponseData
from .preferences_response_data_categories_item import PreferencesResponseDataCategoriesItem
from .preferences_response_data_categories_item_description import PreferencesResponseDataCategoriesItemDescription
from .preferences_response_data_categories_item_label import PreferencesResponseDataCategoriesItemLabel
from .preferences_response_data_preferences_item import PreferencesResponseDataPreferencesItem
from .push_action import PushAction
from .realtime_token_request import RealtimeTokenRequest
from .realtime_token_response import RealtimeTokenResponse
from .scheduled_event import ScheduledEvent
from .scheduled_response import ScheduledResponse
from .topic import Topic
from .topic_deleted_response import TopicDeletedResponse
from .topics_response import TopicsResponse
from .trigger_batch_request import TriggerBatchRequest
from .trigger_batch_request_events_item import TriggerBatchRequestEventsItem
from .trigger_batch_request_events_item_channels_item import TriggerBatchRequestEventsItemChannelsItem
from .trigger_batch_request_events_item_email import TriggerBatchRequestEventsItemEmail
from .trigger_batch_request_events_item_email_attachments_item_type_1 import TriggerBatchRequestEventsItemEmailAttachmentsItemType1
from .trigger_batch_request_events_item_payload import TriggerBatchRequestEventsItemPayload
from .trigger_batch_request_events_item_variables import TriggerBatchRequestEventsItemVariables
from .trigger_batch_response import TriggerBatchResponse
from .trigger_batch_response_results_item import TriggerBatchResponseResultsItem
from .trigger_request import TriggerRequest
from .trigger_request_channels_item import TriggerRequestChannelsItem
from .trigger_request_email import TriggerRequestEmail
from .trigger_request_email_attachments_item_type_1 import TriggerRequestEmailAttachmentsItemType1
from .trigger_request_payload import TriggerRequestPayload
from .trigger_request_variables import TriggerRequestVariables
from .trigger_response import TriggerResponse
from .unread_count_response import UnreadCountResponse
from .unread_count_response_data import UnreadCountResponseData
from .user_request import UserRequest
from .user_request_attributes_type_0 import UserRequestAttributesType0
from .user_request_quiet_hours_type_0 import UserRequestQuietHoursType0
from .user_response import UserResponse
from .user_response_data import UserResponseData
from .user_response_data_attributes_type_0 import UserResponseDataAttributesType0
from .user_response_data_quiet_hours_type_0 import UserResponseDataQuietHoursType0
from .users_batch_request import UsersBatchRequest
from .users_batch_request_users_item import UsersBatchRequestUsersItem
from .users_batch_request_users_item_attributes_type_0 import UsersBatchRequestUsersItemAttributesType0
from .users_batch_request_users_item_quiet_hours_type_0 import UsersBatchRequestUsersItemQuietHoursType0
from .users_batch_response import UsersBatchResponse
from .users_batch_response_results_item import UsersBatchResponseResultsItem
from .webhook import Webhook
from .webhook_attempt import WebhookAttempt
from .webhook_attempts_response import WebhookAttemptsResponse
from .webhook_change_request import WebhookChangeRequest
from .webhook_change_request_types_item import WebhookChangeRequestTypesItem
from .webhook_deleted_response import WebhookDeletedResponse
from .webhook_message import WebhookMessage
from .webhook_message_response import WebhookMessageResponse
from .webhook_messages_response import WebhookMessagesResponse
from .webhook_put_response import WebhookPutResponse
from .webhook_replay_request import WebhookReplayRequest
from .webhook_replay_response import WebhookReplayResponse
from .webhook_request import WebhookRequest
from .webhook_request_types_item import WebhookRequestTypesItem
from .webhook_response import WebhookResponse
from .webhook_secret_response import WebhookSecretResponse
from .webhook_sent_response import WebhookSentResponse
from .webhooks_response import WebhooksResponse

__all__ = (
    "ArchiveAllResponse",
    "ArchiveAllResponseData",
    "AttachmentResponse",
    "AttachmentResponseData",
    "AttemptReport",
    "Broadcast",
    "BroadcastByStatus",
    "BroadcastRequest",
    "BroadcastRequestChannelsItem",
    "BroadcastRequestVariables",
    "BroadcastResponse",
    "BroadcastsResponse",
    "CancelRequest",
    "CancelResponse",
    "CancelResponsePartlyItem",
    "ChangeNotificationRequest",
    "ChangePreferencesRequest",
    "ChangePreferencesRequestPreferencesItem",
    "ChangePreferencesRequestPreferencesItemChannel",
    "ChannelReport",
    "ChannelReportNotification",
    "DeliveryReport",
    "Device",
    "DeviceRequest",
    "DeviceRequestEnvironment",
    "DeviceRequestKind",
    "DeviceRequestSubscription",
    "DeviceRequestSubscriptionKeys",
    "DeviceResponse",
    "DevicesResponse",
    "DevicesResponseData",
    "DigestReport",
    "ErasureResponse",
    "ErasureResponseData",
    "ErasureResponseDataDeletedType0",
    "EventReport",
    "EventReportChannels",
    "EventReportEmail",
    "EventReportEmailAttachmentsItem",
    "EventReportTimelineItem",
    "HistoryResponse",
    "InboxTabs",
    "InboxTabsCategoriesItem",
    "InboxTabsCategoriesItemLabel",
    "InboxTabsResponse",
    "ListNotificationsView",
    "ListWebhookAttemptsStatus",
    "ListWebhookMessagesStatus",
    "MarkAllReadResponse",
    "MarkAllReadResponseData",
    "MarkReadResponse",
    "MembersChangeRequest",
    "MembersChangeResponse",
    "MembersResponse",
    "MoveRequest",
    "MoveResponse",
    "Notification",
    "PreferencesResponse",
    "PreferencesResponseData",
    "PreferencesResponseDataCategoriesItem",
    "PreferencesResponseDataCategoriesItemDescription",
    "PreferencesResponseDataCategoriesItemLabel",
    "PreferencesResponseDataPreferencesItem",
    "PushAction",
    "RealtimeTokenRequest",
    "RealtimeTokenResponse",
    "ScheduledEvent",
    "ScheduledResponse",
    "Topic",
    "TopicDeletedResponse",
    "TopicsResponse",
    "TriggerBatchRequest",
    "TriggerBatchRequestEventsItem",
    "TriggerBatchRequestEventsItemChannelsItem",
    "TriggerBatchRequestEventsItemEmail",
    "TriggerBatchRequestEventsItemEmailAttachmentsItemType1",
    "TriggerBatchRequestEventsItemPayload",
    "TriggerBatchRequestEventsItemVariables",
    "TriggerBatchResponse",
    "TriggerBatchResponseResultsItem",
    "TriggerRequest",
    "TriggerRequestChannelsItem",
    "TriggerRequestEmail",
    "TriggerRequestEmailAttachmentsItemType1",
    "TriggerRequestPayload",
    "TriggerRequestVariables",
    "TriggerResponse",
    "UnreadCountResponse",
    "UnreadCountResponseData",
    "UserRequest",
    "UserRequestAttributesType0",
    "UserRequestQuietHoursType0",
    "UserResponse",
    "UserResponseData",
    "UserResponseDataAttributesType0",
    "UserResponseDataQuietHoursType0",
    "UsersBatchRequest",
    "UsersBatchRequestUsersItem",
    "UsersBatchRequestUsersItemAttributesType0",
    "UsersBatchRequestUsersItemQuietHoursType0",
    "UsersBatchResponse",
    "UsersBatchResponseResultsItem",
    "Webhook",
    "WebhookAttempt",
    "WebhookAttemptsResponse",
    "WebhookChangeRequest",
    "WebhookChangeRequestTypesItem",
    "WebhookDeletedResponse",
    "WebhookMessage",
    "WebhookMessageResponse",
    "WebhookMessagesResponse",
    "WebhookPutResponse",
    "WebhookReplayRequest",
    "WebhookReplayResponse",
    "WebhookRequest",
    "WebhookRequestTypesItem",
    "WebhookResponse",
    "WebhookSecretResponse",
    "WebhookSentResponse",
    "WebhooksResponse",
)
