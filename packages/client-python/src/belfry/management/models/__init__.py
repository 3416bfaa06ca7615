""" Contains all the data models used in inputs/outputs """

from .alert_list_all_answer import AlertListAllAnswer
from .alert_sender_answer import AlertSenderAnswer
from .alert_set_all_answer import AlertSetAllAnswer
from .alert_set_all_body import AlertSetAllBody
from .alert_set_all_body_alerts_item import AlertSetAllBodyAlertsItem
from .alert_set_sender_answer import AlertSetSenderAnswer
from .alert_set_sender_body import AlertSetSenderBody
from .alerts import Alerts
from .alerts_alerts_item import AlertsAlertsItem
from .api_key import ApiKey
from .audit_entry import AuditEntry
from .audit_entry_after_type_0 import AuditEntryAfterType0
from .audit_entry_before_type_0 import AuditEntryBeforeType0
from .audit_list_answer import AuditListAnswer
from .audit_list_answer_data import AuditListAnswerData
from .broadcast_estimate import BroadcastEstimate
from .broadcast_estimate_answer import BroadcastEstimateAnswer
from .broadcast_estimate_body import BroadcastEstimateBody
from .broadcast_estimate_body_channels_item import BroadcastEstimateBodyChannelsItem
from .broadcast_estimate_channels_item import BroadcastEstimateChannelsItem
from .bundle_apply_answer import BundleApplyAnswer
from .bundle_apply_body import BundleApplyBody
from .bundle_apply_body_files import BundleApplyBodyFiles
from .bundle_progress import BundleProgress
from .bundle_progress_answer import BundleProgressAnswer
from .bundle_pull_answer import BundlePullAnswer
from .bundle_pull_answer_data import BundlePullAnswerData
from .bundle_pull_answer_data_files import BundlePullAnswerDataFiles
from .cancelled import Cancelled
from .cancelled_partly_item import CancelledPartlyItem
from .category import Category
from .category_assign_answer import CategoryAssignAnswer
from .category_assign_answer_data import CategoryAssignAnswerData
from .category_assign_body import CategoryAssignBody
from .category_delete_answer import CategoryDeleteAnswer
from .category_description import CategoryDescription
from .category_label import CategoryLabel
from .category_list_answer import CategoryListAnswer
from .category_move_answer import CategoryMoveAnswer
from .category_move_body import CategoryMoveBody
from .category_put_answer import CategoryPutAnswer
from .category_put_body import CategoryPutBody
from .category_put_body_description import CategoryPutBodyDescription
from .category_put_body_label import CategoryPutBodyLabel
from .category_put_body_only import CategoryPutBodyOnly
from .dead_discard_answer import DeadDiscardAnswer
from .dead_discard_answer_data import DeadDiscardAnswerData
from .dead_discard_answer_data_refused_item import DeadDiscardAnswerDataRefusedItem
from .dead_discard_body import DeadDiscardBody
from .dead_discard_body_channel import DeadDiscardBodyChannel
from .dead_discard_body_class import DeadDiscardBodyClass
from .dead_list_answer import DeadListAnswer
from .dead_list_answer_data_item import DeadListAnswerDataItem
from .dead_list_answer_data_item_examples_item import DeadListAnswerDataItemExamplesItem
from .dead_list_channel import DeadListChannel
from .dead_list_class import DeadListClass
from .dead_replay_answer import DeadReplayAnswer
from .dead_replay_answer_data import DeadReplayAnswerData
from .dead_replay_answer_data_refused_item import DeadReplayAnswerDataRefusedItem
from .dead_replay_body import DeadReplayBody
from .dead_replay_body_channel import DeadReplayBodyChannel
from .dead_replay_body_class import DeadReplayBodyClass
from .dead_show_answer import DeadShowAnswer
from .dead_show_answer_data import DeadShowAnswerData
from .digest import Digest
from .digest_delivery_type_0 import DigestDeliveryType0
from .digest_list_answer import DigestListAnswer
from .digest_release_answer import DigestReleaseAnswer
from .digest_release_answer_data import DigestReleaseAnswerData
from .digest_release_answer_data_delivery_type_0 import DigestReleaseAnswerDataDeliveryType0
from .digest_release_answer_data_events_item import DigestReleaseAnswerDataEventsItem
from .digest_show_answer import DigestShowAnswer
from .digest_show_answer_data import DigestShowAnswerData
from .digest_show_answer_data_delivery_type_0 import DigestShowAnswerDataDeliveryType0
from .digest_show_answer_data_events_item import DigestShowAnswerDataEventsItem
from .draft import Draft
from .draft_actions_type_0_item import DraftActionsType0Item
from .draft_settings import DraftSettings
from .draft_settings_data_type_0 import DraftSettingsDataType0
from .draft_settings_digest_type_0 import DraftSettingsDigestType0
from .draft_settings_throttle_type_0 import DraftSettingsThrottleType0
from .environment import Environment
from .environment_list_answer import EnvironmentListAnswer
from .environment_promote_answer import EnvironmentPromoteAnswer
from .environment_promote_body import EnvironmentPromoteBody
from .environment_set_answer import EnvironmentSetAnswer
from .environment_set_body import EnvironmentSetBody
from .event_cancel_one_answer import EventCancelOneAnswer
from .event_resend_answer import EventResendAnswer
from .event_resend_answer_data import EventResendAnswerData
from .event_resend_body import EventResendBody
from .event_resend_body_channels_item import EventResendBodyChannelsItem
from .event_search_answer import EventSearchAnswer
from .event_search_answer_data import EventSearchAnswerData
from .event_search_answer_data_events_item import EventSearchAnswerDataEventsItem
from .event_search_answer_data_events_item_deliveries_item import EventSearchAnswerDataEventsItemDeliveriesItem
from .event_search_answer_data_events_item_outcome_type_0 import EventSearchAnswerDataEventsItemOutcomeType0
from .event_search_answer_data_users_item import EventSearchAnswerDataUsersItem
from .image import Image
from .image_delete_answer import ImageDeleteAnswer
from .image_list_answer import ImageListAnswer
from .image_upload_answer import ImageUploadAnswer
from .image_upload_body import ImageUploadBody
from .import_ import Import
from .import_add_answer import ImportAddAnswer
from .import_add_body import ImportAddBody
from .import_cancel_answer import ImportCancelAnswer
from .import_list_answer import ImportListAnswer
from .import_list_answer_data import ImportListAnswerData
from .import_show_answer import ImportShowAnswer
from .import_start_answer import ImportStartAnswer
from .import_start_body import ImportStartBody
from .import_start_body_kind import ImportStartBodyKind
from .inbound_message import InboundMessage
from .layout import Layout
from .layout_footer_texts_type_0 import LayoutFooterTextsType0
from .layout_preview_answer import LayoutPreviewAnswer
from .layout_preview_answer_data import LayoutPreviewAnswerData
from .layout_preview_body import LayoutPreviewBody
from .layout_preview_body_footer_texts import LayoutPreviewBodyFooterTexts
from .layout_put_answer import LayoutPutAnswer
from .layout_put_body import LayoutPutBody
from .layout_put_body_footer_texts import LayoutPutBodyFooterTexts
from .layout_remove_answer import LayoutRemoveAnswer
from .layout_restore_answer import LayoutRestoreAnswer
from .layout_show_answer import LayoutShowAnswer
from .layout_versions_answer import LayoutVersionsAnswer
from .mail_tenant import MailTenant
from .missed import Missed
from .operator import Operator
from .operator_disconnect_identity_answer import OperatorDisconnectIdentityAnswer
from .operator_disconnect_identity_answer_data import OperatorDisconnectIdentityAnswerData
from .operator_disconnect_identity_answer_data_disconnected_item import OperatorDisconnectIdentityAnswerDataDisconnectedItem
from .operator_invite_answer import OperatorInviteAnswer
from .operator_invite_answer_data import OperatorInviteAnswerData
from .operator_invite_body import OperatorInviteBody
from .operator_list_answer import OperatorListAnswer
from .operator_remove_answer import OperatorRemoveAnswer
from .operator_remove_answer_data import OperatorRemoveAnswerData
from .operator_remove_totp_answer import OperatorRemoveTotpAnswer
from .operator_remove_totp_answer_data import OperatorRemoveTotpAnswerData
from .operator_reset_link_answer import OperatorResetLinkAnswer
from .operator_reset_link_answer_data import OperatorResetLinkAnswerData
from .operator_withdraw_answer import OperatorWithdrawAnswer
from .operator_withdraw_answer_data import OperatorWithdrawAnswerData
from .outbox_list_answer import OutboxListAnswer
from .outbox_list_answer_data import OutboxListAnswerData
from .outbox_message import OutboxMessage
from .outbox_message_attachments_item import OutboxMessageAttachmentsItem
from .outbox_message_headers import OutboxMessageHeaders
from .outbox_show_answer import OutboxShowAnswer
from .plan import Plan
from .preview import Preview
from .preview_blocks_item import PreviewBlocksItem
from .provider import Provider
from .provider_activate_answer import ProviderActivateAnswer
from .provider_activate_body import ProviderActivateBody
from .provider_deactivate_answer import ProviderDeactivateAnswer
from .provider_delete_answer import ProviderDeleteAnswer
from .provider_list_answer import ProviderListAnswer
from .provider_make_first_answer import ProviderMakeFirstAnswer
from .provider_move_up_answer import ProviderMoveUpAnswer
from .provider_put_answer import ProviderPutAnswer
from .provider_put_body import ProviderPutBody
from .provider_put_body_only import ProviderPutBodyOnly
from .provider_put_body_settings import ProviderPutBodySettings
from .provider_put_channel import ProviderPutChannel
from .provider_rename_answer import ProviderRenameAnswer
from .provider_rename_body import ProviderRenameBody
from .provider_settings import ProviderSettings
from .provider_show_answer import ProviderShowAnswer
from .provider_test_answer import ProviderTestAnswer
from .provider_test_answer_data import ProviderTestAnswerData
from .provider_test_body import ProviderTestBody
from .realtime_new_epoch_answer import RealtimeNewEpochAnswer
from .realtime_new_epoch_answer_data import RealtimeNewEpochAnswerData
from .saved_draft import SavedDraft
from .saved_draft_actions_type_0_item import SavedDraftActionsType0Item
from .saved_draft_settings import SavedDraftSettings
from .saved_draft_settings_data_type_0 import SavedDraftSettingsDataType0
from .saved_draft_settings_digest_type_0 import SavedDraftSettingsDigestType0
from .saved_draft_settings_throttle_type_0 import SavedDraftSettingsThrottleType0
from .saved_draft_warnings_item import SavedDraftWarningsItem
from .saved_layout import SavedLayout
from .saved_layout_footer_texts_type_0 import SavedLayoutFooterTextsType0
from .saved_template import SavedTemplate
from .saved_template_actions_item import SavedTemplateActionsItem
from .saved_template_data_type_0 import SavedTemplateDataType0
from .saved_template_digest_type_0 import SavedTemplateDigestType0
from .saved_template_locales_item import SavedTemplateLocalesItem
from .saved_template_throttle_type_0 import SavedTemplateThrottleType0
from .saved_template_warnings_item import SavedTemplateWarningsItem
from .shown_import import ShownImport
from .shown_import_faults_item import ShownImportFaultsItem
from .shown_import_ignored_columns_item import ShownImportIgnoredColumnsItem
from .sms_inbound_list_answer import SmsInboundListAnswer
from .sms_inbound_list_answer_data import SmsInboundListAnswerData
from .suppression import Suppression
from .suppression_add_answer import SuppressionAddAnswer
from .suppression_add_answer_data import SuppressionAddAnswerData
from .suppression_add_body import SuppressionAddBody
from .suppression_add_body_channel import SuppressionAddBodyChannel
from .suppression_import_answer import SuppressionImportAnswer
from .suppression_import_answer_data import SuppressionImportAnswerData
from .suppression_import_answer_data_ignored_columns_item import SuppressionImportAnswerDataIgnoredColumnsItem
from .suppression_import_body import SuppressionImportBody
from .suppression_import_body_channel import SuppressionImportBodyChannel
from .suppression_list_answer import SuppressionListAnswer
from .suppression_list_answer_data import SuppressionListAnswerData
from .suppression_list_channel import SuppressionListChannel
from .suppression_remove_answer import SuppressionRemoveAnswer
from .suppression_remove_answer_data import SuppressionRemoveAnswerData
from .suppression_remove_body import SuppressionRemoveBody
from .suppression_remove_body_channel import SuppressionRemoveBodyChannel
from .template import Template
from .template_actions_item import TemplateActionsItem
from .template_activate_answer import TemplateActivateAnswer
from .template_activate_channel import TemplateActivateChannel
from .template_confirm_answer import TemplateConfirmAnswer
from .template_confirm_body import TemplateConfirmBody
from .template_confirm_channel import TemplateConfirmChannel
from .template_copy_answer import TemplateCopyAnswer
from .template_copy_body import TemplateCopyBody
from .template_copy_body_to_channel import TemplateCopyBodyToChannel
from .template_copy_channel import TemplateCopyChannel
from .template_create_answer import TemplateCreateAnswer
from .template_create_body import TemplateCreateBody
from .template_create_body_channels_item import TemplateCreateBodyChannelsItem
from .template_create_body_starter import TemplateCreateBodyStarter
from .template_data_type_0 import TemplateDataType0
from .template_deactivate_answer import TemplateDeactivateAnswer
from .template_deactivate_channel import TemplateDeactivateChannel
from .template_delete_answer import TemplateDeleteAnswer
from .template_delete_channel import TemplateDeleteChannel
from .template_digest_type_0 import TemplateDigestType0
from .template_draft_discard_answer import TemplateDraftDiscardAnswer
from .template_draft_discard_channel import TemplateDraftDiscardChannel
from .template_draft_put_answer import TemplateDraftPutAnswer
from .template_draft_put_body import TemplateDraftPutBody
from .template_draft_put_body_actions_item import TemplateDraftPutBodyActionsItem
from .template_draft_put_body_data_type_0 import TemplateDraftPutBodyDataType0
from .template_draft_put_body_digest_type_0 import TemplateDraftPutBodyDigestType0
from .template_draft_put_body_format import TemplateDraftPutBodyFormat
from .template_draft_put_body_throttle_type_0 import TemplateDraftPutBodyThrottleType0
from .template_draft_put_channel import TemplateDraftPutChannel
from .template_draft_show_answer import TemplateDraftShowAnswer
from .template_draft_show_channel import TemplateDraftShowChannel
from .template_export_answer import TemplateExportAnswer
from .template_export_answer_data import TemplateExportAnswerData
from .template_export_answer_data_files import TemplateExportAnswerDataFiles
from .template_import_answer import TemplateImportAnswer
from .template_import_answer_data import TemplateImportAnswerData
from .template_import_body import TemplateImportBody
from .template_import_body_files import TemplateImportBodyFiles
from .template_list_answer import TemplateListAnswer
from .template_locales_item import TemplateLocalesItem
from .template_preview_answer import TemplatePreviewAnswer
from .template_preview_body import TemplatePreviewBody
from .template_preview_body_actions_item import TemplatePreviewBodyActionsItem
from .template_preview_body_channel import TemplatePreviewBodyChannel
from .template_preview_body_digest_type_0 import TemplatePreviewBodyDigestType0
from .template_preview_body_format import TemplatePreviewBodyFormat
from .template_preview_body_variables import TemplatePreviewBodyVariables
from .template_publish_answer import TemplatePublishAnswer
from .template_publish_body import TemplatePublishBody
from .template_publish_channel import TemplatePublishChannel
from .template_put_answer import TemplatePutAnswer
from .template_put_body import TemplatePutBody
from .template_put_body_actions_item import TemplatePutBodyActionsItem
from .template_put_body_data_type_0 import TemplatePutBodyDataType0
from .template_put_body_digest_type_0 import TemplatePutBodyDigestType0
from .template_put_body_format import TemplatePutBodyFormat
from .template_put_body_throttle_type_0 import TemplatePutBodyThrottleType0
from .template_put_channel import TemplatePutChannel
from .template_restore_answer import TemplateRestoreAnswer
from .template_restore_channel import TemplateRestoreChannel
from .template_show_answer import TemplateShowAnswer
from .template_show_channel import TemplateShowChannel
from .template_summary import TemplateSummary
from .template_summary_actions_item import TemplateSummaryActionsItem
from .template_summary_data_type_0 import TemplateSummaryDataType0
from .template_summary_digest_type_0 import TemplateSummaryDigestType0
from .template_summary_locales_item import TemplateSummaryLocalesItem
from .template_summary_throttle_type_0 import TemplateSummaryThrottleType0
from .template_test_answer import TemplateTestAnswer
from .template_test_answer_data import TemplateTestAnswerData
from .template_test_body import TemplateTestBody
from .template_test_body_actions_item import TemplateTestBodyActionsItem
from .template_test_body_digest_type_0 import TemplateTestBodyDigestType0
from .template_test_body_format import TemplateTestBodyFormat
from .template_test_body_variables import TemplateTestBodyVariables
from .template_test_channel import TemplateTestChannel
from .template_throttle_type_0 import TemplateThrottleType0
from .template_version import TemplateVersion
from .template_version_actions_type_0_item import TemplateVersionActionsType0Item
from .template_versions_answer import TemplateVersionsAnswer
from .template_versions_channel import TemplateVersionsChannel
from .tenant import Tenant
from .tenant_activate_answer import TenantActivateAnswer
from .tenant_create_answer import TenantCreateAnswer
from .tenant_create_answer_data import TenantCreateAnswerData
from .tenant_create_answer_data_quiet_hours_type_0 import TenantCreateAnswerDataQuietHoursType0
from .tenant_create_body import TenantCreateBody
from .tenant_create_body_delivery_channels_item import TenantCreateBodyDeliveryChannelsItem
from .tenant_create_body_quiet_hours_type_0 import TenantCreateBodyQuietHoursType0
from .tenant_deactivate_answer import TenantDeactivateAnswer
from .tenant_defaults import TenantDefaults
from .tenant_defaults_answer import TenantDefaultsAnswer
from .tenant_defaults_body import TenantDefaultsBody
from .tenant_defaults_body_quiet_hours_type_0 import TenantDefaultsBodyQuietHoursType0
from .tenant_defaults_quiet_hours_type_0 import TenantDefaultsQuietHoursType0
from .tenant_list_answer import TenantListAnswer
from .tenant_quiet_hours_type_0 import TenantQuietHoursType0
from .tenant_request_deletion_answer import TenantRequestDeletionAnswer
from .tenant_request_deletion_answer_data import TenantRequestDeletionAnswerData
from .tenant_show_answer import TenantShowAnswer
from .tenant_show_deletion_answer import TenantShowDeletionAnswer
from .tenant_show_deletion_answer_data import TenantShowDeletionAnswerData
from .tenant_show_deletion_answer_data_deleted import TenantShowDeletionAnswerDataDeleted
from .tenant_update_answer import TenantUpdateAnswer
from .tenant_update_body import TenantUpdateBody
from .tenant_update_body_delivery_channels_item import TenantUpdateBodyDeliveryChannelsItem
from .tenant_update_body_quiet_hours_type_0 import TenantUpdateBodyQuietHoursType0
from .user_find_answer import UserFindAnswer
from .user_find_answer_data import UserFindAnswerData
from .user_find_answer_data_users_item import UserFindAnswerDataUsersItem
from .user_import_answer import UserImportAnswer
from .user_import_answer_data import UserImportAnswerData
from .user_import_answer_data_ignored_columns_item import UserImportAnswerDataIgnoredColumnsItem
from .user_import_body import UserImportBody
from .user_list_answer import UserListAnswer
from .user_list_answer_data import UserListAnswerData
from .user_list_answer_data_users_item import UserListAnswerDataUsersItem
from .user_preference_set_answer import UserPreferenceSetAnswer
from .user_preference_set_answer_data import UserPreferenceSetAnswerData
from .user_preference_set_answer_data_categories_item import UserPreferenceSetAnswerDataCategoriesItem
from .user_preference_set_answer_data_categories_item_description import UserPreferenceSetAnswerDataCategoriesItemDescription
from .user_preference_set_answer_data_categories_item_label import UserPreferenceSetAnswerDataCategoriesItemLabel
from .user_preference_set_answer_data_preferences_item import UserPreferenceSetAnswerDataPreferencesItem
from .user_preference_set_body import UserPreferenceSetBody
from .user_preference_set_channel import UserPreferenceSetChannel

__all__ = (
    "AlertListAllAnswer",
    "Alerts",
    "AlertsAlertsItem",
    "AlertSenderAnswer",
    "AlertSetAllAnswer",
    "AlertSetAllBody",
    "AlertSetAllBodyAlertsItem",
    "AlertSetSenderAnswer",
    "AlertSetSenderBody",
    "ApiKey",
    "AuditEntry",
    "AuditEntryAfterType0",
    "AuditEntryBeforeType0",
    "AuditListAnswer",
    "AuditListAnswerData",
    "BroadcastEstimate",
    "BroadcastEstimateAnswer",
    "BroadcastEstimateBody",
    "BroadcastEstimateBodyChannelsItem",
    "BroadcastEstimateChannelsItem",
    "BundleApplyAnswer",
    "BundleApplyBody",
    "BundleApplyBodyFiles",
    "BundleProgress",
    "BundleProgressAnswer",
    "BundlePullAnswer",
    "BundlePullAnswerData",
    "BundlePullAnswerDataFiles",
    "Cancelled",
    "CancelledPartlyItem",
    "Category",
    "CategoryAssignAnswer",
    "CategoryAssignAnswerData",
    "CategoryAssignBody",
    "CategoryDeleteAnswer",
    "CategoryDescription",
    "CategoryLabel",
    "CategoryListAnswer",
    "CategoryMoveAnswer",
    "CategoryMoveBody",
    "CategoryPutAnswer",
    "CategoryPutBody",
    "CategoryPutBodyDescription",
    "CategoryPutBodyLabel",
    "CategoryPutBodyOnly",
    "DeadDiscardAnswer",
    "DeadDiscardAnswerData",
    "DeadDiscardAnswerDataRefusedItem",
    "DeadDiscardBody",
    "DeadDiscardBodyChannel",
    "DeadDiscardBodyClass",
    "DeadListAnswer",
    "DeadListAnswerDataItem",
    "DeadListAnswerDataItemExamplesItem",
    "DeadListChannel",
    "DeadListClass",
    "DeadReplayAnswer",
    "DeadReplayAnswerData",
    "DeadReplayAnswerDataRefusedItem",
    "DeadReplayBody",
    "DeadReplayBodyChannel",
    "DeadReplayBodyClass",
    "DeadShowAnswer",
    "DeadShowAnswerData",
    "Digest",
    "DigestDeliveryType0",
    "DigestListAnswer",
    "DigestReleaseAnswer",
    "DigestReleaseAnswerData",
    "DigestReleaseAnswerDataDeliveryType0",
    "DigestReleaseAnswerDataEventsItem",
    "DigestShowAnswer",
    "DigestShowAnswerData",
    "DigestShowAnswerDataDeliveryType0",
    "DigestShowAnswerDataEventsItem",
    "Draft",
    "DraftActionsType0Item",
    "DraftSettings",
    "DraftSettingsDataType0",
    "DraftSettingsDigestType0",
    "DraftSettingsThrottleType0",
    "Environment",
    "EnvironmentListAnswer",
    "EnvironmentPromoteAnswer",
    "EnvironmentPromoteBody",
    "EnvironmentSetAnswer",
    "EnvironmentSetBody",
    "EventCancelOneAnswer",
    "EventResendAnswer",
    "EventResendAnswerData",
    "EventResendBody",
    "EventResendBodyChannelsItem",
    "EventSearchAnswer",
    "EventSearchAnswerData",
    "EventSearchAnswerDataEventsItem",
    "EventSearchAnswerDataEventsItemDeliveriesItem",
    "EventSearchAnswerDataEventsItemOutcomeType0",
    "EventSearchAnswerDataUsersItem",
    "Image",
    "ImageDeleteAnswer",
    "ImageListAnswer",
    "ImageUploadAnswer",
    "ImageUploadBody",
    "Import",
    "ImportAddAnswer",
    "ImportAddBody",
    "ImportCancelAnswer",
    "ImportListAnswer",
    "ImportListAnswerData",
    "ImportShowAnswer",
    "ImportStartAnswer",
    "ImportStartBody",
    "ImportStartBodyKind",
    "InboundMessage",
    "Layout",
    "LayoutFooterTextsType0",
    "LayoutPreviewAnswer",
    "LayoutPreviewAnswerData",
    "LayoutPreviewBody",
    "LayoutPreviewBodyFooterTexts",
    "LayoutPutAnswer",
    "LayoutPutBody",
    "LayoutPutBodyFooterTexts",
    "LayoutRemoveAnswer",
    "LayoutRestoreAnswer",
    "LayoutShowAnswer",
    "LayoutVersionsAnswer",
    "MailTenant",
    "Missed",
    "Operator",
    "OperatorDisconnectIdentityAnswer",
    "OperatorDisconnectIdentityAnswerData",
    "OperatorDisconnectIdentityAnswerDataDisconnectedItem",
    "OperatorInviteAnswer",
    "OperatorInviteAnswerData",
    "OperatorInviteBody",
    "OperatorListAnswer",
    "OperatorRemoveAnswer",
    "OperatorRemoveAnswerData",
    "OperatorRemoveTotpAnswer",
    "OperatorRemoveTotpAnswerData",
    "OperatorResetLinkAnswer",
    "OperatorResetLinkAnswerData",
    "OperatorWithdrawAnswer",
    "OperatorWithdrawAnswerData",
    "OutboxListAnswer",
    "OutboxListAnswerData",
    "OutboxMessage",
    "OutboxMessageAttachmentsItem",
    "OutboxMessageHeaders",
    "OutboxShowAnswer",
    "Plan",
    "Preview",
    "PreviewBlocksItem",
    "Provider",
    "ProviderActivateAnswer",
    "ProviderActivateBody",
    "ProviderDeactivateAnswer",
    "ProviderDeleteAnswer",
    "ProviderListAnswer",
    "ProviderMakeFirstAnswer",
    "ProviderMoveUpAnswer",
    "ProviderPutAnswer",
    "ProviderPutBody",
    "ProviderPutBodyOnly",
    "ProviderPutBodySettings",
    "ProviderPutChannel",
    "ProviderRenameAnswer",
    "ProviderRenameBody",
    "ProviderSettings",
    "ProviderShowAnswer",
    "ProviderTestAnswer",
    "ProviderTestAnswerData",
    "ProviderTestBody",
    "RealtimeNewEpochAnswer",
    "RealtimeNewEpochAnswerData",
    "SavedDraft",
    "SavedDraftActionsType0Item",
    "SavedDraftSettings",
    "SavedDraftSettingsDataType0",
    "SavedDraftSettingsDigestType0",
    "SavedDraftSettingsThrottleType0",
    "SavedDraftWarningsItem",
    "SavedLayout",
    "SavedLayoutFooterTextsType0",
    "SavedTemplate",
    "SavedTemplateActionsItem",
    "SavedTemplateDataType0",
    "SavedTemplateDigestType0",
    "SavedTemplateLocalesItem",
    "SavedTemplateThrottleType0",
    "SavedTemplateWarningsItem",
    "ShownImport",
    "ShownImportFaultsItem",
    "ShownImportIgnoredColumnsItem",
    "SmsInboundListAnswer",
    "SmsInboundListAnswerData",
    "Suppression",
    "SuppressionAddAnswer",
    "SuppressionAddAnswerData",
    "SuppressionAddBody",
    "SuppressionAddBodyChannel",
    "SuppressionImportAnswer",
    "SuppressionImportAnswerData",
    "SuppressionImportAnswerDataIgnoredColumnsItem",
    "SuppressionImportBody",
    "SuppressionImportBodyChannel",
    "SuppressionListAnswer",
    "SuppressionListAnswerData",
    "SuppressionListChannel",
    "SuppressionRemoveAnswer",
    "SuppressionRemoveAnswerData",
    "SuppressionRemoveBody",
    "SuppressionRemoveBodyChannel",
    "Template",
    "TemplateActionsItem",
    "TemplateActivateAnswer",
    "TemplateActivateChannel",
    "TemplateConfirmAnswer",
    "TemplateConfirmBody",
    "TemplateConfirmChannel",
    "TemplateCopyAnswer",
    "TemplateCopyBody",
    "TemplateCopyBodyToChannel",
    "TemplateCopyChannel",
    "TemplateCreateAnswer",
    "TemplateCreateBody",
    "TemplateCreateBodyChannelsItem",
    "TemplateCreateBodyStarter",
    "TemplateDataType0",
    "TemplateDeactivateAnswer",
    "TemplateDeactivateChannel",
    "TemplateDeleteAnswer",
    "TemplateDeleteChannel",
    "TemplateDigestType0",
    "TemplateDraftDiscardAnswer",
    "TemplateDraftDiscardChannel",
    "TemplateDraftPutAnswer",
    "TemplateDraftPutBody",
    "TemplateDraftPutBodyActionsItem",
    "TemplateDraftPutBodyDataType0",
    "TemplateDraftPutBodyDigestType0",
    "TemplateDraftPutBodyFormat",
    "TemplateDraftPutBodyThrottleType0",
    "TemplateDraftPutChannel",
    "TemplateDraftShowAnswer",
    "TemplateDraftShowChannel",
    "TemplateExportAnswer",
    "TemplateExportAnswerData",
    "TemplateExportAnswerDataFiles",
    "TemplateImportAnswer",
    "TemplateImportAnswerData",
    "TemplateImportBody",
    "TemplateImportBodyFiles",
    "TemplateListAnswer",
    "TemplateLocalesItem",
    "TemplatePreviewAnswer",
    "TemplatePreviewBody",
    "TemplatePreviewBodyActionsItem",
    "TemplatePreviewBodyChannel",
    "TemplatePreviewBodyDigestType0",
    "TemplatePreviewBodyFormat",
    "TemplatePreviewBodyVariables",
    "TemplatePublishAnswer",
    "TemplatePublishBody",
    "TemplatePublishChannel",
    "TemplatePutAnswer",
    "TemplatePutBody",
    "TemplatePutBodyActionsItem",
    "TemplatePutBodyDataType0",
    "TemplatePutBodyDigestType0",
    "TemplatePutBodyFormat",
    "TemplatePutBodyThrottleType0",
    "TemplatePutChannel",
    "TemplateRestoreAnswer",
    "TemplateRestoreChannel",
    "TemplateShowAnswer",
    "TemplateShowChannel",
    "TemplateSummary",
    "TemplateSummaryActionsItem",
    "TemplateSummaryDataType0",
    "TemplateSummaryDigestType0",
    "TemplateSummaryLocalesItem",
    "TemplateSummaryThrottleType0",
    "TemplateTestAnswer",
    "TemplateTestAnswerData",
    "TemplateTestBody",
    "TemplateTestBodyActionsItem",
    "TemplateTestBodyDigestType0",
    "TemplateTestBodyFormat",
    "TemplateTestBodyVariables",
    "TemplateTestChannel",
    "TemplateThrottleType0",
    "TemplateVersion",
    "TemplateVersionActionsType0Item",
    "TemplateVersionsAnswer",
    "TemplateVersionsChannel",
    "Tenant",
    "TenantActivateAnswer",
    "TenantCreateAnswer",
    "TenantCreateAnswerData",
    "TenantCreateAnswerDataQuietHoursType0",
    "TenantCreateBody",
    "TenantCreateBodyDeliveryChannelsItem",
    "TenantCreateBodyQuietHoursType0",
    "TenantDeactivateAnswer",
    "TenantDefaults",
    "TenantDefaultsAnswer",
    "TenantDefaultsBody",
    "TenantDefaultsBodyQuietHoursType0",
    "TenantDefaultsQuietHoursType0",
    "TenantListAnswer",
    "TenantQuietHoursType0",
    "TenantRequestDeletionAnswer",
    "TenantRequestDeletionAnswerData",
    "TenantShowAnswer",
    "TenantShowDeletionAnswer",
    "TenantShowDeletionAnswerData",
    "TenantShowDeletionAnswerDataDeleted",
    "TenantUpdateAnswer",
    "TenantUpdateBody",
    "TenantUpdateBodyDeliveryChannelsItem",
    "TenantUpdateBodyQuietHoursType0",
    "UserFindAnswer",
    "UserFindAnswerData",
    "UserFindAnswerDataUsersItem",
    "UserImportAnswer",
    "UserImportAnswerData",
    "UserImportAnswerDataIgnoredColumnsItem",
    "UserImportBody",
    "UserListAnswer",
    "UserListAnswerData",
    "UserListAnswerDataUsersItem",
    "UserPreferenceSetAnswer",
    "UserPreferenceSetAnswerData",
    "UserPreferenceSetAnswerDataCategoriesItem",
    "UserPreferenceSetAnswerDataCategoriesItemDescription",
    "UserPreferenceSetAnswerDataCategoriesItemLabel",
    "UserPreferenceSetAnswerDataPreferencesItem",
    "UserPreferenceSetBody",
    "UserPreferenceSetChannel",
)
