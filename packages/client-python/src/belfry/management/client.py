"""Every call of the document as a method, without and with await."""

import datetime
from collections.abc import Mapping
from typing import Any, Optional, Union

from .._sender import AsyncSender, Sender
from .types import UNSET, Unset
from .api.tenant import tenant_defaults as _tenant_defaults
from .api.tenant import tenant_activate as _tenant_activate
from .api.tenant import tenant_list as _tenant_list
from .api.tenant import tenant_create as _tenant_create
from .api.tenant import tenant_deactivate as _tenant_deactivate
from .api.tenant import tenant_show as _tenant_show
from .api.tenant import tenant_request_deletion as _tenant_request_deletion
from .api.tenant import tenant_update as _tenant_update
from .api.tenant import tenant_show_deletion as _tenant_show_deletion
from .api.environment import environment_list as _environment_list
from .api.environment import environment_promote as _environment_promote
from .api.environment import environment_set as _environment_set
from .api.template import template_show as _template_show
from .api.template import template_put as _template_put
from .api.template import template_delete as _template_delete
from .api.template import template_draft_show as _template_draft_show
from .api.template import template_draft_put as _template_draft_put
from .api.template import template_draft_discard as _template_draft_discard
from .api.template import template_publish as _template_publish
from .api.template import template_confirm as _template_confirm
from .api.template import template_versions as _template_versions
from .api.template import template_restore as _template_restore
from .api.template import template_export as _template_export
from .api.template import template_import as _template_import
from .api.template import template_copy as _template_copy
from .api.template import template_list as _template_list
from .api.template import template_create as _template_create
from .api.template import template_test as _template_test
from .api.template import template_activate as _template_activate
from .api.template import template_deactivate as _template_deactivate
from .api.template import template_preview as _template_preview
from .api.layout import layout_versions as _layout_versions
from .api.layout import layout_preview as _layout_preview
from .api.layout import layout_show as _layout_show
from .api.layout import layout_put as _layout_put
from .api.layout import layout_remove as _layout_remove
from .api.layout import layout_restore as _layout_restore
from .api.image import image_delete as _image_delete
from .api.image import image_list as _image_list
from .api.image import image_upload as _image_upload
from .api.bundle import bundle_pull as _bundle_pull
from .api.bundle import bundle_apply as _bundle_apply
from .api.bundle import bundle_progress as _bundle_progress
from .api.provider import provider_show as _provider_show
from .api.provider import provider_delete as _provider_delete
from .api.provider import provider_list as _provider_list
from .api.provider import provider_put as _provider_put
from .api.provider import provider_rename as _provider_rename
from .api.provider import provider_activate as _provider_activate
from .api.provider import provider_deactivate as _provider_deactivate
from .api.provider import provider_make_first as _provider_make_first
from .api.provider import provider_move_up as _provider_move_up
from .api.provider import provider_test as _provider_test
from .api.event import event_search as _event_search
from .api.event import event_resend as _event_resend
from .api.event import event_cancel_one as _event_cancel_one
from .api.broadcast import broadcast_estimate as _broadcast_estimate
from .api.digest import digest_list as _digest_list
from .api.digest import digest_release as _digest_release
from .api.digest import digest_show as _digest_show
from .api.outbox import outbox_list as _outbox_list
from .api.outbox import outbox_show as _outbox_show
from .api.dead import dead_list as _dead_list
from .api.dead import dead_show as _dead_show
from .api.dead import dead_discard as _dead_discard
from .api.dead import dead_replay as _dead_replay
from .api.suppression import suppression_list as _suppression_list
from .api.suppression import suppression_add as _suppression_add
from .api.suppression import suppression_remove as _suppression_remove
from .api.suppression import suppression_import as _suppression_import
from .api.sms import sms_inbound_list as _sms_inbound_list
from .api.user import user_find as _user_find
from .api.user import user_list as _user_list
from .api.user import user_preference_set as _user_preference_set
from .api.user import user_import as _user_import
from .api.import_ import import_add as _import_add
from .api.import_ import import_cancel as _import_cancel
from .api.import_ import import_list as _import_list
from .api.import_ import import_start as _import_start
from .api.import_ import import_show as _import_show
from .api.category import category_assign as _category_assign
from .api.category import category_put as _category_put
from .api.category import category_delete as _category_delete
from .api.category import category_list as _category_list
from .api.category import category_move as _category_move
from .api.operator import operator_disconnect_identity as _operator_disconnect_identity
from .api.operator import operator_invite as _operator_invite
from .api.operator import operator_reset_link as _operator_reset_link
from .api.operator import operator_remove as _operator_remove
from .api.operator import operator_remove_totp as _operator_remove_totp
from .api.operator import operator_list as _operator_list
from .api.operator import operator_withdraw as _operator_withdraw
from .api.alert import alert_list_all as _alert_list_all
from .api.alert import alert_set_all as _alert_set_all
from .api.alert import alert_sender as _alert_sender
from .api.alert import alert_set_sender as _alert_set_sender
from .api.audit import audit_list as _audit_list
from .api.realtime import realtime_new_epoch as _realtime_new_epoch
from .models.alert_list_all_answer import AlertListAllAnswer
from .models.alert_sender_answer import AlertSenderAnswer
from .models.alert_set_all_answer import AlertSetAllAnswer
from .models.alert_set_all_body import AlertSetAllBody
from .models.alert_set_sender_answer import AlertSetSenderAnswer
from .models.alert_set_sender_body import AlertSetSenderBody
from .models.audit_list_answer import AuditListAnswer
from .models.broadcast_estimate_answer import BroadcastEstimateAnswer
from .models.broadcast_estimate_body import BroadcastEstimateBody
from .models.bundle_apply_answer import BundleApplyAnswer
from .models.bundle_apply_body import BundleApplyBody
from .models.bundle_progress_answer import BundleProgressAnswer
from .models.bundle_pull_answer import BundlePullAnswer
from .models.category_assign_answer import CategoryAssignAnswer
from .models.category_assign_body import CategoryAssignBody
from .models.category_delete_answer import CategoryDeleteAnswer
from .models.category_list_answer import CategoryListAnswer
from .models.category_move_answer import CategoryMoveAnswer
from .models.category_move_body import CategoryMoveBody
from .models.category_put_answer import CategoryPutAnswer
from .models.category_put_body import CategoryPutBody
from .models.dead_discard_answer import DeadDiscardAnswer
from .models.dead_discard_body import DeadDiscardBody
from .models.dead_list_answer import DeadListAnswer
from .models.dead_list_channel import check_dead_list_channel
from .models.dead_list_channel import DeadListChannel
from .models.dead_list_class import check_dead_list_class
from .models.dead_list_class import DeadListClass
from .models.dead_replay_answer import DeadReplayAnswer
from .models.dead_replay_body import DeadReplayBody
from .models.dead_show_answer import DeadShowAnswer
from .models.digest_list_answer import DigestListAnswer
from .models.digest_release_answer import DigestReleaseAnswer
from .models.digest_show_answer import DigestShowAnswer
from .models.environment_list_answer import EnvironmentListAnswer
from .models.environment_promote_answer import EnvironmentPromoteAnswer
from .models.environment_promote_body import EnvironmentPromoteBody
from .models.environment_set_answer import EnvironmentSetAnswer
from .models.environment_set_body import EnvironmentSetBody
from .models.event_cancel_one_answer import EventCancelOneAnswer
from .models.event_resend_answer import EventResendAnswer
from .models.event_resend_body import EventResendBody
from .models.event_search_answer import EventSearchAnswer
from .models.image_delete_answer import ImageDeleteAnswer
from .models.image_list_answer import ImageListAnswer
from .models.image_upload_answer import ImageUploadAnswer
from .models.image_upload_body import ImageUploadBody
from .models.import_add_answer import ImportAddAnswer
from .models.import_add_body import ImportAddBody
from .models.import_cancel_answer import ImportCancelAnswer
from .models.import_list_answer import ImportListAnswer
from .models.import_show_answer import ImportShowAnswer
from .models.import_start_answer import ImportStartAnswer
from .models.import_start_body import ImportStartBody
from .models.layout_preview_answer import LayoutPreviewAnswer
from .models.layout_preview_body import LayoutPreviewBody
from .models.layout_put_answer import LayoutPutAnswer
from .models.layout_put_body import LayoutPutBody
from .models.layout_remove_answer import LayoutRemoveAnswer
from .models.layout_restore_answer import LayoutRestoreAnswer
from .models.layout_show_answer import LayoutShowAnswer
from .models.layout_versions_answer import LayoutVersionsAnswer
from .models.operator_disconnect_identity_answer import OperatorDisconnectIdentityAnswer
from .models.operator_invite_answer import OperatorInviteAnswer
from .models.operator_invite_body import OperatorInviteBody
from .models.operator_list_answer import OperatorListAnswer
from .models.operator_remove_answer import OperatorRemoveAnswer
from .models.operator_remove_totp_answer import OperatorRemoveTotpAnswer
from .models.operator_reset_link_answer import OperatorResetLinkAnswer
from .models.operator_withdraw_answer import OperatorWithdrawAnswer
from .models.outbox_list_answer import OutboxListAnswer
from .models.outbox_show_answer import OutboxShowAnswer
from .models.provider_activate_answer import ProviderActivateAnswer
from .models.provider_activate_body import ProviderActivateBody
from .models.provider_deactivate_answer import ProviderDeactivateAnswer
from .models.provider_delete_answer import ProviderDeleteAnswer
from .models.provider_list_answer import ProviderListAnswer
from .models.provider_make_first_answer import ProviderMakeFirstAnswer
from .models.provider_move_up_answer import ProviderMoveUpAnswer
from .models.provider_put_answer import ProviderPutAnswer
from .models.provider_put_body import ProviderPutBody
from .models.provider_put_channel import check_provider_put_channel
from .models.provider_put_channel import ProviderPutChannel
from .models.provider_rename_answer import ProviderRenameAnswer
from .models.provider_rename_body import ProviderRenameBody
from .models.provider_show_answer import ProviderShowAnswer
from .models.provider_test_answer import ProviderTestAnswer
from .models.provider_test_body import ProviderTestBody
from .models.realtime_new_epoch_answer import RealtimeNewEpochAnswer
from .models.sms_inbound_list_answer import SmsInboundListAnswer
from .models.suppression_add_answer import SuppressionAddAnswer
from .models.suppression_add_body import SuppressionAddBody
from .models.suppression_import_answer import SuppressionImportAnswer
from .models.suppression_import_body import SuppressionImportBody
from .models.suppression_list_answer import SuppressionListAnswer
from .models.suppression_list_channel import check_suppression_list_channel
from .models.suppression_list_channel import SuppressionListChannel
from .models.suppression_remove_answer import SuppressionRemoveAnswer
from .models.suppression_remove_body import SuppressionRemoveBody
from .models.template_activate_answer import TemplateActivateAnswer
from .models.template_activate_channel import check_template_activate_channel
from .models.template_activate_channel import TemplateActivateChannel
from .models.template_confirm_answer import TemplateConfirmAnswer
from .models.template_confirm_body import TemplateConfirmBody
from .models.template_confirm_channel import check_template_confirm_channel
from .models.template_confirm_channel import TemplateConfirmChannel
from .models.template_copy_answer import TemplateCopyAnswer
from .models.template_copy_body import TemplateCopyBody
from .models.template_copy_channel import check_template_copy_channel
from .models.template_copy_channel import TemplateCopyChannel
from .models.template_create_answer import TemplateCreateAnswer
from .models.template_create_body import TemplateCreateBody
from .models.template_deactivate_answer import TemplateDeactivateAnswer
from .models.template_deactivate_channel import check_template_deactivate_channel
from .models.template_deactivate_channel import TemplateDeactivateChannel
from .models.template_delete_answer import TemplateDeleteAnswer
from .models.template_delete_channel import check_template_delete_channel
from .models.template_delete_channel import TemplateDeleteChannel
from .models.template_draft_discard_answer import TemplateDraftDiscardAnswer
from .models.template_draft_discard_channel import check_template_draft_discard_channel
from .models.template_draft_discard_channel import TemplateDraftDiscardChannel
from .models.template_draft_put_answer import TemplateDraftPutAnswer
from .models.template_draft_put_body import TemplateDraftPutBody
from .models.template_draft_put_channel import check_template_draft_put_channel
from .models.template_draft_put_channel import TemplateDraftPutChannel
from .models.template_draft_show_answer import TemplateDraftShowAnswer
from .models.template_draft_show_channel import check_template_draft_show_channel
from .models.template_draft_show_channel import TemplateDraftShowChannel
from .models.template_export_answer import TemplateExportAnswer
from .models.template_import_answer import TemplateImportAnswer
from .models.template_import_body import TemplateImportBody
from .models.template_list_answer import TemplateListAnswer
from .models.template_preview_answer import TemplatePreviewAnswer
from .models.template_preview_body import TemplatePreviewBody
from .models.template_publish_answer import TemplatePublishAnswer
from .models.template_publish_body import TemplatePublishBody
from .models.template_publish_channel import check_template_publish_channel
from .models.template_publish_channel import TemplatePublishChannel
from .models.template_put_answer import TemplatePutAnswer
from .models.template_put_body import TemplatePutBody
from .models.template_put_channel import check_template_put_channel
from .models.template_put_channel import TemplatePutChannel
from .models.template_restore_answer import TemplateRestoreAnswer
from .models.template_restore_channel import check_template_restore_channel
from .models.template_restore_channel import TemplateRestoreChannel
from .models.template_show_answer import TemplateShowAnswer
from .models.template_show_channel import check_template_show_channel
from .models.template_show_channel import TemplateShowChannel
from .models.template_test_answer import TemplateTestAnswer
from .models.template_test_body import TemplateTestBody
from .models.template_test_channel import check_template_test_channel
from .models.template_test_channel import TemplateTestChannel
from .models.template_versions_answer import TemplateVersionsAnswer
from .models.template_versions_channel import check_template_versions_channel
from .models.template_versions_channel import TemplateVersionsChannel
from .models.tenant_activate_answer import TenantActivateAnswer
from .models.tenant_create_answer import TenantCreateAnswer
from .models.tenant_create_body import TenantCreateBody
from .models.tenant_deactivate_answer import TenantDeactivateAnswer
from .models.tenant_defaults_answer import TenantDefaultsAnswer
from .models.tenant_defaults_body import TenantDefaultsBody
from .models.tenant_list_answer import TenantListAnswer
from .models.tenant_request_deletion_answer import TenantRequestDeletionAnswer
from .models.tenant_show_answer import TenantShowAnswer
from .models.tenant_show_deletion_answer import TenantShowDeletionAnswer
from .models.tenant_update_answer import TenantUpdateAnswer
from .models.tenant_update_body import TenantUpdateBody
from .models.user_find_answer import UserFindAnswer
from .models.user_import_answer import UserImportAnswer
from .models.user_import_body import UserImportBody
from .models.user_list_answer import UserListAnswer
from .models.user_preference_set_answer import UserPreferenceSetAnswer
from .models.user_preference_set_body import UserPreferenceSetBody
from .models.user_preference_set_channel import check_user_preference_set_channel
from .models.user_preference_set_channel import UserPreferenceSetChannel


class Calls(Sender):
    def tenant_defaults(self, body: Union[TenantDefaultsBody, Mapping[str, Any]], ) -> TenantDefaultsAnswer:
        """Set the tenant's language, time zone and quiet hours; applies within 5 s

        Fields that are left out keep their values. Needs a key with the role provision."""
        return self._send(_tenant_defaults.tenant_defaults(body, ))

    def tenant_activate(self, id: str, *, idempotency_key: Optional[str] = None) -> TenantActivateAnswer:
        """Activate a tenant again; messages that were skipped stay skipped

        Needs a platform key."""
        return self._send(_tenant_activate.tenant_activate(id, idempotency_key=idempotency_key))

    def tenant_list(self, ) -> TenantListAnswer:
        """All tenants, oldest first

        Needs a platform key."""
        return self._send(_tenant_list.tenant_list())

    def tenant_create(self, body: Union[TenantCreateBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TenantCreateAnswer:
        """Create a tenant; prints its API key, only now

        Without limits given: 600 a minute, 100000 a day, all channels. Needs a platform key."""
        return self._send(_tenant_create.tenant_create(body, idempotency_key=idempotency_key))

    def tenant_deactivate(self, id: str, *, idempotency_key: Optional[str] = None) -> TenantDeactivateAnswer:
        """Deactivate a tenant: its calls are answered 401, and its waiting messages are skipped

        Needs a platform key."""
        return self._send(_tenant_deactivate.tenant_deactivate(id, idempotency_key=idempotency_key))

    def tenant_show(self, id: str, ) -> TenantShowAnswer:
        """One tenant with its live API keys (their prefixes and names)

        Needs a platform key."""
        return self._send(_tenant_show.tenant_show(id, ))

    def tenant_request_deletion(self, id: str, *, typed: str, ) -> TenantRequestDeletionAnswer:
        """Deactivate a tenant at once and delete it in the background; cannot be undone

        A repeated request changes nothing. Needs a platform key."""
        return self._send(_tenant_request_deletion.tenant_request_deletion(id, typed=typed, ))

    def tenant_update(self, id: str, body: Union[TenantUpdateBody, Mapping[str, Any]], ) -> TenantUpdateAnswer:
        """Change the given settings; applies within 5 s

        What is left out stays as it is. A webhook secret takes the place of the one before at once. Needs a
        platform key."""
        return self._send(_tenant_update.tenant_update(id, body, ))

    def tenant_show_deletion(self, id: str, ) -> TenantShowDeletionAnswer:
        """The progress of a tenant's deletion; it can be read after the tenant is gone

        Needs a platform key."""
        return self._send(_tenant_show_deletion.tenant_show_deletion(id, ))

    def environment_list(self, ) -> EnvironmentListAnswer:
        """The environments of the tenant's family, its own among them

        Needs a key with the role manage or provision."""
        return self._send(_environment_list.environment_list())

    def environment_promote(self, body: Union[EnvironmentPromoteBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> EnvironmentPromoteAnswer:
        """Publish in an environment what the environment before it has published

        A promotion is a bundle from one tenant into the other: all of it, or nothing. A large one is
        compiled in the background, as `bundle apply` tells. Needs a key with the role manage or provision."""
        return self._send(_environment_promote.environment_promote(body, dry_run=dry_run, idempotency_key=idempotency_key))

    def environment_set(self, tenant_id: str, body: Union[EnvironmentSetBody, Mapping[str, Any]], ) -> EnvironmentSetAnswer:
        """Make a tenant an environment of a product; fields that are left out keep their values

        Environments of one family are tenants of one product, such as staging and production. Users, keys,
        providers and limits are apart. Templates, layout and categories are promoted from one into the
        other. A locked environment refuses every other change of them. Needs a platform key."""
        return self._send(_environment_set.environment_set(tenant_id, body, ))

    def template_show(self, event_type: str, channel: TemplateShowChannel, *, locale: Union[Unset, str] = UNSET, ) -> TemplateShowAnswer:
        """One template with what is published of it, by its id or by the three flags

        Needs a key with the role manage or provision."""
        return self._send(_template_show.template_show(event_type, channel, locale=locale, ))

    def template_put(self, event_type: str, channel: TemplatePutChannel, body: Union[TemplatePutBody, Mapping[str, Any]], ) -> TemplatePutAnswer:
        """Check, compile and publish: live within 5 s; a new text is a new version

        Of --digest-…, --throttle and --after-unread-seconds what is left out stays; of --sensitive and the
        like a translation (--locale) changes what it names alone. Needs a key with the role manage or
        provision."""
        return self._send(_template_put.template_put(event_type, channel, body, ))

    def template_delete(self, event_type: str, channel: TemplateDeleteChannel, *, locale: Union[Unset, str] = UNSET, ) -> TemplateDeleteAnswer:
        """Delete a template with all its versions; prints the deleted template

        What was sent with them can no longer be shown. Of a translation the versions stay, and its
        recipients get the default variant. Needs a key with the role manage or provision."""
        return self._send(_template_delete.template_delete(event_type, channel, locale=locale, ))

    def template_draft_show(self, event_type: str, channel: TemplateDraftShowChannel, *, locale: Union[Unset, str] = UNSET, ) -> TemplateDraftShowAnswer:
        """The draft of a template, with its text

        Needs a key with the role manage or provision."""
        return self._send(_template_draft_show.template_draft_show(event_type, channel, locale=locale, ))

    def template_draft_put(self, event_type: str, channel: TemplateDraftPutChannel, body: Union[TemplateDraftPutBody, Mapping[str, Any]], ) -> TemplateDraftPutAnswer:
        """Save as a draft, which is not in use; faults are reported when it is published

        Needs a key with the role manage or provision."""
        return self._send(_template_draft_put.template_draft_put(event_type, channel, body, ))

    def template_draft_discard(self, event_type: str, channel: TemplateDraftDiscardChannel, *, locale: Union[Unset, str] = UNSET, revision: Union[Unset, int] = UNSET, ) -> TemplateDraftDiscardAnswer:
        """Discard the draft; prints its last text

        A template that was never published is deleted with its last draft. Needs a key with the role manage
        or provision."""
        return self._send(_template_draft_discard.template_draft_discard(event_type, channel, locale=locale, revision=revision, ))

    def template_publish(self, event_type: str, channel: TemplatePublishChannel, body: Union[TemplatePublishBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TemplatePublishAnswer:
        """Publish a draft, live within 5 s; refused if another version was published since

        Needs a key with the role manage or provision."""
        return self._send(_template_publish.template_publish(event_type, channel, body, idempotency_key=idempotency_key))

    def template_confirm(self, event_type: str, channel: TemplateConfirmChannel, body: Union[TemplateConfirmBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TemplateConfirmAnswer:
        """Mark a translation as up to date with the default text

        Needs a key with the role manage or provision."""
        return self._send(_template_confirm.template_confirm(event_type, channel, body, idempotency_key=idempotency_key))

    def template_versions(self, event_type: str, channel: TemplateVersionsChannel, ) -> TemplateVersionsAnswer:
        """List its published versions in all languages, newest first, without the contents

        Needs a key with the role manage or provision."""
        return self._send(_template_versions.template_versions(event_type, channel, ))

    def template_restore(self, event_type: str, channel: TemplateRestoreChannel, version: int, *, idempotency_key: Optional[str] = None) -> TemplateRestoreAnswer:
        """Publish an older version again, in its language, as the newest

        Settings for all languages stay, and so does the active flag. Needs a key with the role manage or
        provision."""
        return self._send(_template_restore.template_restore(event_type, channel, version, idempotency_key=idempotency_key))

    def template_export(self, ) -> TemplateExportAnswer:
        """Write what is published into a directory: a folder an event type, a file a language

        It contains no drafts. Needs a key with the role manage or provision."""
        return self._send(_template_export.template_export())

    def template_import(self, body: Union[TemplateImportBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, ) -> TemplateImportAnswer:
        """Publish such a directory; everything is checked first, and unchanged templates stay as they are

        A template that has no file stays as it is. All files are published together, or none. Needs a key
        with the role manage or provision."""
        return self._send(_template_import.template_import(body, dry_run=dry_run, ))

    def template_copy(self, event_type: str, channel: TemplateCopyChannel, body: Union[TemplateCopyBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TemplateCopyAnswer:
        """Copy a template to another event type, channel or tenant, in all languages, as drafts

        What is being written where there is a draft, else what is published. Where the other template has
        drafts already nothing is changed. Needs a key with the role manage or provision."""
        return self._send(_template_copy.template_copy(event_type, channel, body, idempotency_key=idempotency_key))

    def template_list(self, ) -> TemplateListAnswer:
        """A tenant's templates, or the platform's

        Needs a key with the role manage or provision."""
        return self._send(_template_list.template_list())

    def template_create(self, body: Union[TemplateCreateBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TemplateCreateAnswer:
        """Create drafts of an event type's templates, empty or from an example

        Needs a key with the role manage or provision."""
        return self._send(_template_create.template_create(body, idempotency_key=idempotency_key))

    def template_test(self, event_type: str, channel: TemplateTestChannel, body: Union[TemplateTestBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TemplateTestAnswer:
        """Send a published template to one person, as a test: through the provider that would send it, or into
        an inbox. It counts towards the tenant's limits, and few are allowed in 15 minutes

        With content, this text is sent instead of what is published. Needs a key with the role provision."""
        return self._send(_template_test.template_test(event_type, channel, body, idempotency_key=idempotency_key))

    def template_activate(self, event_type: str, channel: TemplateActivateChannel, *, idempotency_key: Optional[str] = None) -> TemplateActivateAnswer:
        """Use it for events from now on

        Needs a key with the role manage or provision."""
        return self._send(_template_activate.template_activate(event_type, channel, idempotency_key=idempotency_key))

    def template_deactivate(self, event_type: str, channel: TemplateDeactivateChannel, *, idempotency_key: Optional[str] = None) -> TemplateDeactivateAnswer:
        """Ignore it when events are dispatched

        Needs a key with the role manage or provision."""
        return self._send(_template_deactivate.template_deactivate(event_type, channel, idempotency_key=idempotency_key))

    def template_preview(self, body: Union[TemplatePreviewBody, Mapping[str, Any]], ) -> TemplatePreviewAnswer:
        """Render a saved template, or with --content-file one that is not saved

        The flags of its text go with --content-file. Of a template with a digest it shows the events of
        $items in the variables, else three alike. Needs a key with the role manage or provision."""
        return self._send(_template_preview.template_preview(body, ))

    def layout_versions(self, ) -> LayoutVersionsAnswer:
        """All its versions, newest first

        Needs a key with the role manage or provision."""
        return self._send(_layout_versions.layout_versions())

    def layout_preview(self, body: Union[LayoutPreviewBody, Mapping[str, Any]], ) -> LayoutPreviewAnswer:
        """Render a sample mail in a layout, without saving it

        Fields that are left out have the platform's values. Needs a key with the role manage or provision."""
        return self._send(_layout_preview.layout_preview(body, ))

    def layout_show(self, *, version: Union[Unset, int] = UNSET, ) -> LayoutShowAnswer:
        """The live layout, or one of its versions

        Needs a key with the role manage or provision."""
        return self._send(_layout_show.layout_show(version=version, ))

    def layout_put(self, body: Union[LayoutPutBody, Mapping[str, Any]], ) -> LayoutPutAnswer:
        """Change the given settings, and republish every mail in Markdown with them; live within 5 s

        Fields that are left out keep their values. If one mail does not compile with it, the whole change
        is refused. Needs a key with the role manage or provision."""
        return self._send(_layout_put.layout_put(body, ))

    def layout_remove(self, ) -> LayoutRemoveAnswer:
        """Reset the layout to the platform's, with nothing of the tenant but its name

        Needs a key with the role manage or provision."""
        return self._send(_layout_remove.layout_remove())

    def layout_restore(self, version: int, *, idempotency_key: Optional[str] = None) -> LayoutRestoreAnswer:
        """Publish an older version again, as the newest

        Needs a key with the role manage or provision."""
        return self._send(_layout_restore.layout_restore(version, idempotency_key=idempotency_key))

    def image_delete(self, id: str, ) -> ImageDeleteAnswer:
        """Delete an image: mails that show it have a gap from then on

        Needs a key with the role manage or provision."""
        return self._send(_image_delete.image_delete(id, ))

    def image_list(self, ) -> ImageListAnswer:
        """The images of mails and the design, the newest first

        Needs a key with the role manage or provision."""
        return self._send(_image_list.image_list())

    def image_upload(self, body: Union[ImageUploadBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ImageUploadAnswer:
        """Store a PNG, JPEG, GIF or WebP file for mails and the design

        At most 2 MiB and 4096 pixels a side; a tenant has at most 200, together 100 MiB. The same file
        again is the same image. Needs a key with the role manage or provision."""
        return self._send(_image_upload.image_upload(body, idempotency_key=idempotency_key))

    def bundle_pull(self, ) -> BundlePullAnswer:
        """Export what a tenant has published as files: templates, layout and categories

        A folder for each event type holds a file for each channel and language. layout.mjml, layout.json
        and categories.json are beside the folders. Needs a key with the role manage or provision."""
        return self._send(_bundle_pull.bundle_pull())

    def bundle_apply(self, body: Union[BundleApplyBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> BundleApplyAnswer:
        """Publish such files, all or none; parts without a file stay unchanged

        Contents are compared: the same bundle again changes nothing and makes no version. A large change is
        compiled in the background: the answer is then 202 with an `id`, and `bundle progress` tells its
        end. Needs a key with the role manage or provision."""
        return self._send(_bundle_apply.bundle_apply(body, dry_run=dry_run, idempotency_key=idempotency_key))

    def bundle_progress(self, apply_id: str, ) -> BundleProgressAnswer:
        """Show the progress of a bundle or promotion that is applied in the background

        The call that begins one answers 202 with its id. At the end the state is `done`, or `failed` with
        `faults`: nothing is applied then. It is kept for 30 days after its end. Needs a key with the role
        manage or provision."""
        return self._send(_bundle_progress.bundle_progress(apply_id, ))

    def provider_show(self, id: str, ) -> ProviderShowAnswer:
        """One provider, by its id or by the flags, secrets masked

        Needs a key with the role manage or provision."""
        return self._send(_provider_show.provider_show(id, ))

    def provider_delete(self, id: str, ) -> ProviderDeleteAnswer:
        """Delete a provider with its settings; prints the deleted provider

        Messages that it sent keep their attempts. Needs a key with the role provision."""
        return self._send(_provider_delete.provider_delete(id, ))

    def provider_list(self, ) -> ProviderListAnswer:
        """A tenant's providers in the order of use, secrets masked

        Needs a key with the role manage or provision."""
        return self._send(_provider_list.provider_list())

    def provider_put(self, channel: ProviderPutChannel, name: str, body: Union[ProviderPutBody, Mapping[str, Any]], ) -> ProviderPutAnswer:
        """Check the settings and store them encrypted; a new provider becomes the first

        Needs a key with the role provision."""
        return self._send(_provider_put.provider_put(channel, name, body, ))

    def provider_rename(self, id: str, body: Union[ProviderRenameBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ProviderRenameAnswer:
        """Rename a provider; its settings and history stay

        Needs a key with the role provision."""
        return self._send(_provider_rename.provider_rename(id, body, idempotency_key=idempotency_key))

    def provider_activate(self, id: str, body: Union[ProviderActivateBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ProviderActivateAnswer:
        """Activate a provider: messages are sent through it

        A test of its settings must have been accepted, unless `untested` is given. Needs a key with the
        role provision."""
        return self._send(_provider_activate.provider_activate(id, body, idempotency_key=idempotency_key))

    def provider_deactivate(self, id: str, *, idempotency_key: Optional[str] = None) -> ProviderDeactivateAnswer:
        """Deactivate a provider: nothing more is sent through it

        Needs a key with the role provision."""
        return self._send(_provider_deactivate.provider_deactivate(id, idempotency_key=idempotency_key))

    def provider_make_first(self, id: str, *, idempotency_key: Optional[str] = None) -> ProviderMakeFirstAnswer:
        """Make a provider the first one; an inactive one must have passed a test

        Needs a key with the role provision."""
        return self._send(_provider_make_first.provider_make_first(id, idempotency_key=idempotency_key))

    def provider_move_up(self, id: str, *, idempotency_key: Optional[str] = None) -> ProviderMoveUpAnswer:
        """Move a provider one place up; prints its channel's providers in their order

        Needs a key with the role provision."""
        return self._send(_provider_move_up.provider_move_up(id, idempotency_key=idempotency_key))

    def provider_test(self, id: str, body: Union[ProviderTestBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ProviderTestAnswer:
        """Send a test message through a provider, active or not; prints the vendor's answer and stores whether
        it was accepted

        Needs a key with the role provision."""
        return self._send(_provider_test.provider_test(id, body, idempotency_key=idempotency_key))

    def event_search(self, *, search: str, limit: Union[Unset, int] = UNSET, ) -> EventSearchAnswer:
        """Events and users by what a customer gives: an address, a phone number, an id of the user, the event,
        a message or a trace

        Users are found by the beginning of their id or address as well, such as `ann` or `ann@exa`. Events
        need the whole value, since the search stores keyed hashes instead of values. Needs a key with the
        role manage or provision."""
        return self._send(_event_search.event_search(search=search, limit=limit, ))

    def event_resend(self, id: str, body: Union[EventResendBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> EventResendAnswer:
        """Send an event again, as a new one with the same content and today's templates; it counts towards the
        tenant's limits

        Needs a key with the role provision."""
        return self._send(_event_resend.event_resend(id, body, idempotency_key=idempotency_key))

    def event_cancel_one(self, id: str, *, idempotency_key: Optional[str] = None) -> EventCancelOneAnswer:
        """Cancel what has not been sent yet of one event, by Belfry's id only

        It does not cancel events that have the same text as their eventId. Needs a key with the role manage
        or provision."""
        return self._send(_event_cancel_one.event_cancel_one(id, idempotency_key=idempotency_key))

    def broadcast_estimate(self, body: Union[BroadcastEstimateBody, Mapping[str, Any]], ) -> BroadcastEstimateAnswer:
        """Estimate how many people a broadcast would reach, and why it would not reach the others

        Looks at the first 10000 people, by user id, as dispatching would: address, provider, preferences,
        suppression. If there are more, it extrapolates. Quiet hours only delay, and a template's throttle
        is not counted. Needs a key with the role manage or provision."""
        return self._send(_broadcast_estimate.broadcast_estimate(body, ))

    def digest_list(self, *, limit: Union[Unset, int] = UNSET, ) -> DigestListAnswer:
        """A tenant's open digests with their end and number of events, the one that ends next first

        Needs a key with the role manage or provision."""
        return self._send(_digest_list.digest_list(limit=limit, ))

    def digest_release(self, id: str, *, idempotency_key: Optional[str] = None) -> DigestReleaseAnswer:
        """Send an open digest now; quiet hours still apply

        Needs a key with the role provision."""
        return self._send(_digest_release.digest_release(id, idempotency_key=idempotency_key))

    def digest_show(self, id: str, ) -> DigestShowAnswer:
        """One digest, open or not, with the ids of its oldest 100 events

        Its events include those that are not in the message. Needs a key with the role manage or provision."""
        return self._send(_digest_show.digest_show(id, ))

    def outbox_list(self, *, event_id: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> OutboxListAnswer:
        """A tenant's sandbox messages, newest first

        Needs a key with the role manage or provision."""
        return self._send(_outbox_list.outbox_list(event_id=event_id, limit=limit, after=after, ))

    def outbox_show(self, id: str, ) -> OutboxShowAnswer:
        """One sandbox message

        Needs a key with the role manage or provision."""
        return self._send(_outbox_show.outbox_show(id, ))

    def dead_list(self, *, channel: Union[Unset, DeadListChannel] = UNSET, class_: Union[Unset, DeadListClass] = UNSET, provider: Union[Unset, str] = UNSET, since: Union[Unset, datetime.datetime] = UNSET, until: Union[Unset, datetime.datetime] = UNSET, ) -> DeadListAnswer:
        """Groups by tenant, channel, provider and error class, with counts and examples

        Needs a key with the role manage or provision."""
        return self._send(_dead_list.dead_list(channel=channel, class_=class_, provider=provider, since=since, until=until, ))

    def dead_show(self, id: str, ) -> DeadShowAnswer:
        """One delivery with its attempts and what the provider answered, or one message

        Needs a key with the role manage or provision."""
        return self._send(_dead_show.dead_show(id, ))

    def dead_discard(self, body: Union[DeadDiscardBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> DeadDiscardAnswer:
        """Discard dead letters for good; their attempts stay visible

        Needs a key with the role manage or provision."""
        return self._send(_dead_discard.dead_discard(body, dry_run=dry_run, idempotency_key=idempotency_key))

    def dead_replay(self, body: Union[DeadReplayBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> DeadReplayAnswer:
        """Send dead letters again: a new attempt of the same delivery, never of one that a provider accepted.
        What expired or is unknown goes only by its ID or its --class.

        Needs a key with the role provision."""
        return self._send(_dead_replay.dead_replay(body, dry_run=dry_run, idempotency_key=idempotency_key))

    def suppression_list(self, *, channel: Union[Unset, SuppressionListChannel] = UNSET, search: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> SuppressionListAnswer:
        """A tenant's suppressed addresses, each with the reason

        Needs a key with the role manage or provision."""
        return self._send(_suppression_list.suppression_list(channel=channel, search=search, limit=limit, after=after, ))

    def suppression_add(self, body: Union[SuppressionAddBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> SuppressionAddAnswer:
        """Suppress addresses: nothing more is sent to them

        Needs a key with the role manage or provision."""
        return self._send(_suppression_add.suppression_add(body, idempotency_key=idempotency_key))

    def suppression_remove(self, body: Union[SuppressionRemoveBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> SuppressionRemoveAnswer:
        """Lift the suppression of addresses: messages are sent to them again

        The provider may still suppress them in its own list. Needs a key with the role manage or provision."""
        return self._send(_suppression_remove.suppression_remove(body, idempotency_key=idempotency_key))

    def suppression_import(self, body: Union[SuppressionImportBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> SuppressionImportAnswer:
        """Suppress the addresses of a file: one per line, or a CSV column that is found by its heading; a bad
        line refuses the whole file

        The whole file is read before anything is written, a thousand addresses a transaction. After a
        failure in between, import it again. Needs a key with the role manage or provision."""
        return self._send(_suppression_import.suppression_import(body, idempotency_key=idempotency_key))

    def sms_inbound_list(self, *, number: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> SmsInboundListAnswer:
        """A tenant's inbound text messages, newest first

        People's answers to text messages, except keywords such as STOP. Needs a key with the role manage or
        provision."""
        return self._send(_sms_inbound_list.sms_inbound_list(number=number, limit=limit, after=after, ))

    def user_find(self, *, search: str, limit: Union[Unset, int] = UNSET, ) -> UserFindAnswer:
        """Find a tenant's users by the beginning of their id or email address, in upper or lower case

        `ann` finds `anna@example.com` and the user `ann-1`. The user of this very id comes first, then the
        others by their ids. Every character stands for itself, `%` and `_` too. Users that events alone
        name are found by their id. `event search` finds a phone number, by its end. Needs a key with the
        role manage or provision."""
        return self._send(_user_find.user_find(search=search, limit=limit, ))

    def user_list(self, *, after: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, ) -> UserListAnswer:
        """List a tenant's users by id, including users that only events name; `next` is set if there are more

        Needs a key with the role manage or provision."""
        return self._send(_user_list.user_list(after=after, limit=limit, ))

    def user_preference_set(self, user_id: str, category: str, channel: UserPreferenceSetChannel, body: Union[UserPreferenceSetBody, Mapping[str, Any]], ) -> UserPreferenceSetAnswer:
        """Turn a category on a channel on or off for a user, or clear the choice

        Needs a key with the role manage or provision."""
        return self._send(_user_preference_set.user_preference_set(user_id, category, channel, body, ))

    def user_import(self, body: Union[UserImportBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> UserImportAnswer:
        """Import a CSV file of users who unsubscribed elsewhere; a bad line refuses the whole file

        The whole file is read before anything is written, a thousand cells a transaction. After a failure
        in between, import it again: what is off stays as it is. Needs a key with the role manage or
        provision."""
        return self._send(_user_import.user_import(body, idempotency_key=idempotency_key))

    def import_add(self, import_id: str, body: Union[ImportAddBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ImportAddAnswer:
        """Send the next part of a file

        Parts come one after the other; a file may be cut at any place. The part that came last may be sent
        again. A file that is too large is refused, and its import cancelled. Needs a key with the role
        manage or provision."""
        return self._send(_import_add.import_add(import_id, body, idempotency_key=idempotency_key))

    def import_cancel(self, import_id: str, *, idempotency_key: Optional[str] = None) -> ImportCancelAnswer:
        """Stop an import; the lines that were imported stay

        Needs a key with the role manage or provision."""
        return self._send(_import_cancel.import_cancel(import_id, idempotency_key=idempotency_key))

    def import_list(self, *, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> ImportListAnswer:
        """A tenant's imports, the newest first

        Needs a key with the role manage or provision."""
        return self._send(_import_list.import_list(limit=limit, after=after, ))

    def import_start(self, body: Union[ImportStartBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ImportStartAnswer:
        """Import a CSV file of users, or of a topic's members, in the background

        `users`: the first line names the columns: userId, and any of email, phone, chat, locale, timezone
        and quietHours (as 22:00-06:00). An empty field says that there is none; a column that the file has
        not stays as it is. `members`: the users of the column userId are added to the topic, or, by their
        addresses in the directory, those of the column email. A file may have 1000000 lines and 128 MiB:
        send a longer text in parts. Bad lines are left out and told. It is kept for 30 days after its end.
        Needs a key with the role manage or provision."""
        return self._send(_import_start.import_start(body, idempotency_key=idempotency_key))

    def import_show(self, import_id: str, ) -> ImportShowAnswer:
        """Show the progress of an import, and the faults of its lines

        Needs a key with the role manage or provision."""
        return self._send(_import_show.import_show(import_id, ))

    def category_assign(self, event_type: str, body: Union[CategoryAssignBody, Mapping[str, Any]], ) -> CategoryAssignAnswer:
        """Set the category of an event type

        It applies to every event that is dispatched from then on. Needs a key with the role manage or
        provision."""
        return self._send(_category_assign.category_assign(event_type, body, ))

    def category_put(self, key: str, body: Union[CategoryPutBody, Mapping[str, Any]], ) -> CategoryPutAnswer:
        """Create a category, or change the given settings of one; applies within 5 s

        Fields that are left out keep their values. An empty text removes its language. Needs a key with the
        role manage or provision."""
        return self._send(_category_put.category_put(key, body, ))

    def category_delete(self, key: str, ) -> CategoryDeleteAnswer:
        """Delete a category that has no event types; users' choices for it are kept

        It is refused while event types belong to it: their messages would reach users who turned them off.
        Needs a key with the role manage or provision."""
        return self._send(_category_delete.category_delete(key, ))

    def category_list(self, ) -> CategoryListAnswer:
        """A tenant's categories, each with the event types that belong to it

        Needs a key with the role manage or provision."""
        return self._send(_category_list.category_list())

    def category_move(self, key: str, body: Union[CategoryMoveBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> CategoryMoveAnswer:
        """Move a category to a place among the others; prints all in their order

        The positions of all categories become 0, 1, 2 and so on. Needs a key with the role manage or
        provision."""
        return self._send(_category_move.category_move(key, body, idempotency_key=idempotency_key))

    def operator_disconnect_identity(self, person: str, *, idempotency_key: Optional[str] = None) -> OperatorDisconnectIdentityAnswer:
        """Disconnect a person of any tenant, or an operator, from their account at the provider of OpenID
        Connect; all their sessions end, and who has no password needs a reset link

        Needs a platform key."""
        return self._send(_operator_disconnect_identity.operator_disconnect_identity(person, idempotency_key=idempotency_key))

    def operator_invite(self, body: Union[OperatorInviteBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> OperatorInviteAnswer:
        """Create a link that makes a person an operator; it is printed only now and works once

        Needs a platform key."""
        return self._send(_operator_invite.operator_invite(body, idempotency_key=idempotency_key))

    def operator_reset_link(self, person: str, *, idempotency_key: Optional[str] = None) -> OperatorResetLinkAnswer:
        """Create a link with which a person of any tenant, or an operator, sets a new password; it is printed
        only now, works once, for an hour, and ends the one before

        Needs a platform key."""
        return self._send(_operator_reset_link.operator_reset_link(person, idempotency_key=idempotency_key))

    def operator_remove(self, person: str, ) -> OperatorRemoveAnswer:
        """Remove a person's rights as an operator; the last operator keeps them

        Needs a platform key."""
        return self._send(_operator_remove.operator_remove(person, ))

    def operator_remove_totp(self, person: str, *, idempotency_key: Optional[str] = None) -> OperatorRemoveTotpAnswer:
        """Remove two-factor authentication from a person of any tenant, or an operator, who has lost the
        authenticator app; all their sessions end

        Needs a platform key."""
        return self._send(_operator_remove_totp.operator_remove_totp(person, idempotency_key=idempotency_key))

    def operator_list(self, ) -> OperatorListAnswer:
        """List operators

        Needs a platform key."""
        return self._send(_operator_list.operator_list())

    def operator_withdraw(self, invitation: str, ) -> OperatorWithdrawAnswer:
        """Withdraw an operator's invitation: its link stops working

        Needs a platform key."""
        return self._send(_operator_withdraw.operator_withdraw(invitation, ))

    def alert_list_all(self, person: str, ) -> AlertListAllAnswer:
        """Show the alerts about all tenants that an operator gets by mail and in a chat

        Needs a platform key."""
        return self._send(_alert_list_all.alert_list_all(person, ))

    def alert_set_all(self, person: str, body: Union[AlertSetAllBody, Mapping[str, Any]], ) -> AlertSetAllAnswer:
        """Choose the alerts about all tenants that an operator gets by mail and in a chat

        The providers of the tenant that sends Belfry's own mail post to the chat. Needs a platform key."""
        return self._send(_alert_set_all.alert_set_all(person, body, ))

    def alert_sender(self, ) -> AlertSenderAnswer:
        """Show the tenant that sends Belfry's own mail: alerts, invitations, password reset links

        Needs a platform key."""
        return self._send(_alert_sender.alert_sender())

    def alert_set_sender(self, body: Union[AlertSetSenderBody, Mapping[str, Any]], ) -> AlertSetSenderAnswer:
        """Choose the tenant that sends Belfry's own mail by its providers, or none

        Whoever has its messages has the password reset links of everybody. Belfry sends nothing while it
        has members who are not operators, or API keys for management. Needs a platform key."""
        return self._send(_alert_set_sender.alert_set_sender(body, ))

    def audit_list(self, *, tenant: Union[Unset, str] = UNSET, person: Union[Unset, str] = UNSET, object_: Union[Unset, str] = UNSET, since: Union[Unset, datetime.datetime] = UNSET, until: Union[Unset, datetime.datetime] = UNSET, limit: Union[Unset, int] = UNSET, before: Union[Unset, str] = UNSET, ) -> AuditListAnswer:
        """Entries of the audit log, the newest first; `next` is there where there are older ones

        Needs a platform key."""
        return self._send(_audit_list.audit_list(tenant=tenant, person=person, object_=object_, since=since, until=until, limit=limit, before=before, ))

    def realtime_new_epoch(self, *, idempotency_key: Optional[str] = None) -> RealtimeNewEpochAnswer:
        """Make every client load its history again, for use after a restore

        A restored database assigns offsets again that clients have already seen. With a new epoch, each
        client forgets its position at its next reconnect and loads its history again. Needs a platform key."""
        return self._send(_realtime_new_epoch.realtime_new_epoch(idempotency_key=idempotency_key))


class AsyncCalls(AsyncSender):
    async def tenant_defaults(self, body: Union[TenantDefaultsBody, Mapping[str, Any]], ) -> TenantDefaultsAnswer:
        """Set the tenant's language, time zone and quiet hours; applies within 5 s

        Fields that are left out keep their values. Needs a key with the role provision."""
        return await self._send(_tenant_defaults.tenant_defaults(body, ))

    async def tenant_activate(self, id: str, *, idempotency_key: Optional[str] = None) -> TenantActivateAnswer:
        """Activate a tenant again; messages that were skipped stay skipped

        Needs a platform key."""
        return await self._send(_tenant_activate.tenant_activate(id, idempotency_key=idempotency_key))

    async def tenant_list(self, ) -> TenantListAnswer:
        """All tenants, oldest first

        Needs a platform key."""
        return await self._send(_tenant_list.tenant_list())

    async def tenant_create(self, body: Union[TenantCreateBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TenantCreateAnswer:
        """Create a tenant; prints its API key, only now

        Without limits given: 600 a minute, 100000 a day, all channels. Needs a platform key."""
        return await self._send(_tenant_create.tenant_create(body, idempotency_key=idempotency_key))

    async def tenant_deactivate(self, id: str, *, idempotency_key: Optional[str] = None) -> TenantDeactivateAnswer:
        """Deactivate a tenant: its calls are answered 401, and its waiting messages are skipped

        Needs a platform key."""
        return await self._send(_tenant_deactivate.tenant_deactivate(id, idempotency_key=idempotency_key))

    async def tenant_show(self, id: str, ) -> TenantShowAnswer:
        """One tenant with its live API keys (their prefixes and names)

        Needs a platform key."""
        return await self._send(_tenant_show.tenant_show(id, ))

    async def tenant_request_deletion(self, id: str, *, typed: str, ) -> TenantRequestDeletionAnswer:
        """Deactivate a tenant at once and delete it in the background; cannot be undone

        A repeated request changes nothing. Needs a platform key."""
        return await self._send(_tenant_request_deletion.tenant_request_deletion(id, typed=typed, ))

    async def tenant_update(self, id: str, body: Union[TenantUpdateBody, Mapping[str, Any]], ) -> TenantUpdateAnswer:
        """Change the given settings; applies within 5 s

        What is left out stays as it is. A webhook secret takes the place of the one before at once. Needs a
        platform key."""
        return await self._send(_tenant_update.tenant_update(id, body, ))

    async def tenant_show_deletion(self, id: str, ) -> TenantShowDeletionAnswer:
        """The progress of a tenant's deletion; it can be read after the tenant is gone

        Needs a platform key."""
        return await self._send(_tenant_show_deletion.tenant_show_deletion(id, ))

    async def environment_list(self, ) -> EnvironmentListAnswer:
        """The environments of the tenant's family, its own among them

        Needs a key with the role manage or provision."""
        return await self._send(_environment_list.environment_list())

    async def environment_promote(self, body: Union[EnvironmentPromoteBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> EnvironmentPromoteAnswer:
        """Publish in an environment what the environment before it has published

        A promotion is a bundle from one tenant into the other: all of it, or nothing. A large one is
        compiled in the background, as `bundle apply` tells. Needs a key with the role manage or provision."""
        return await self._send(_environment_promote.environment_promote(body, dry_run=dry_run, idempotency_key=idempotency_key))

    async def environment_set(self, tenant_id: str, body: Union[EnvironmentSetBody, Mapping[str, Any]], ) -> EnvironmentSetAnswer:
        """Make a tenant an environment of a product; fields that are left out keep their values

        Environments of one family are tenants of one product, such as staging and production. Users, keys,
        providers and limits are apart. Templates, layout and categories are promoted from one into the
        other. A locked environment refuses every other change of them. Needs a platform key."""
        return await self._send(_environment_set.environment_set(tenant_id, body, ))

    async def template_show(self, event_type: str, channel: TemplateShowChannel, *, locale: Union[Unset, str] = UNSET, ) -> TemplateShowAnswer:
        """One template with what is published of it, by its id or by the three flags

        Needs a key with the role manage or provision."""
        return await self._send(_template_show.template_show(event_type, channel, locale=locale, ))

    async def template_put(self, event_type: str, channel: TemplatePutChannel, body: Union[TemplatePutBody, Mapping[str, Any]], ) -> TemplatePutAnswer:
        """Check, compile and publish: live within 5 s; a new text is a new version

        Of --digest-…, --throttle and --after-unread-seconds what is left out stays; of --sensitive and the
        like a translation (--locale) changes what it names alone. Needs a key with the role manage or
        provision."""
        return await self._send(_template_put.template_put(event_type, channel, body, ))

    async def template_delete(self, event_type: str, channel: TemplateDeleteChannel, *, locale: Union[Unset, str] = UNSET, ) -> TemplateDeleteAnswer:
        """Delete a template with all its versions; prints the deleted template

        What was sent with them can no longer be shown. Of a translation the versions stay, and its
        recipients get the default variant. Needs a key with the role manage or provision."""
        return await self._send(_template_delete.template_delete(event_type, channel, locale=locale, ))

    async def template_draft_show(self, event_type: str, channel: TemplateDraftShowChannel, *, locale: Union[Unset, str] = UNSET, ) -> TemplateDraftShowAnswer:
        """The draft of a template, with its text

        Needs a key with the role manage or provision."""
        return await self._send(_template_draft_show.template_draft_show(event_type, channel, locale=locale, ))

    async def template_draft_put(self, event_type: str, channel: TemplateDraftPutChannel, body: Union[TemplateDraftPutBody, Mapping[str, Any]], ) -> TemplateDraftPutAnswer:
        """Save as a draft, which is not in use; faults are reported when it is published

        Needs a key with the role manage or provision."""
        return await self._send(_template_draft_put.template_draft_put(event_type, channel, body, ))

    async def template_draft_discard(self, event_type: str, channel: TemplateDraftDiscardChannel, *, locale: Union[Unset, str] = UNSET, revision: Union[Unset, int] = UNSET, ) -> TemplateDraftDiscardAnswer:
        """Discard the draft; prints its last text

        A template that was never published is deleted with its last draft. Needs a key with the role manage
        or provision."""
        return await self._send(_template_draft_discard.template_draft_discard(event_type, channel, locale=locale, revision=revision, ))

    async def template_publish(self, event_type: str, channel: TemplatePublishChannel, body: Union[TemplatePublishBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TemplatePublishAnswer:
        """Publish a draft, live within 5 s; refused if another version was published since

        Needs a key with the role manage or provision."""
        return await self._send(_template_publish.template_publish(event_type, channel, body, idempotency_key=idempotency_key))

    async def template_confirm(self, event_type: str, channel: TemplateConfirmChannel, body: Union[TemplateConfirmBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TemplateConfirmAnswer:
        """Mark a translation as up to date with the default text

        Needs a key with the role manage or provision."""
        return await self._send(_template_confirm.template_confirm(event_type, channel, body, idempotency_key=idempotency_key))

    async def template_versions(self, event_type: str, channel: TemplateVersionsChannel, ) -> TemplateVersionsAnswer:
        """List its published versions in all languages, newest first, without the contents

        Needs a key with the role manage or provision."""
        return await self._send(_template_versions.template_versions(event_type, channel, ))

    async def template_restore(self, event_type: str, channel: TemplateRestoreChannel, version: int, *, idempotency_key: Optional[str] = None) -> TemplateRestoreAnswer:
        """Publish an older version again, in its language, as the newest

        Settings for all languages stay, and so does the active flag. Needs a key with the role manage or
        provision."""
        return await self._send(_template_restore.template_restore(event_type, channel, version, idempotency_key=idempotency_key))

    async def template_export(self, ) -> TemplateExportAnswer:
        """Write what is published into a directory: a folder an event type, a file a language

        It contains no drafts. Needs a key with the role manage or provision."""
        return await self._send(_template_export.template_export())

    async def template_import(self, body: Union[TemplateImportBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, ) -> TemplateImportAnswer:
        """Publish such a directory; everything is checked first, and unchanged templates stay as they are

        A template that has no file stays as it is. All files are published together, or none. Needs a key
        with the role manage or provision."""
        return await self._send(_template_import.template_import(body, dry_run=dry_run, ))

    async def template_copy(self, event_type: str, channel: TemplateCopyChannel, body: Union[TemplateCopyBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TemplateCopyAnswer:
        """Copy a template to another event type, channel or tenant, in all languages, as drafts

        What is being written where there is a draft, else what is published. Where the other template has
        drafts already nothing is changed. Needs a key with the role manage or provision."""
        return await self._send(_template_copy.template_copy(event_type, channel, body, idempotency_key=idempotency_key))

    async def template_list(self, ) -> TemplateListAnswer:
        """A tenant's templates, or the platform's

        Needs a key with the role manage or provision."""
        return await self._send(_template_list.template_list())

    async def template_create(self, body: Union[TemplateCreateBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TemplateCreateAnswer:
        """Create drafts of an event type's templates, empty or from an example

        Needs a key with the role manage or provision."""
        return await self._send(_template_create.template_create(body, idempotency_key=idempotency_key))

    async def template_test(self, event_type: str, channel: TemplateTestChannel, body: Union[TemplateTestBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> TemplateTestAnswer:
        """Send a published template to one person, as a test: through the provider that would send it, or into
        an inbox. It counts towards the tenant's limits, and few are allowed in 15 minutes

        With content, this text is sent instead of what is published. Needs a key with the role provision."""
        return await self._send(_template_test.template_test(event_type, channel, body, idempotency_key=idempotency_key))

    async def template_activate(self, event_type: str, channel: TemplateActivateChannel, *, idempotency_key: Optional[str] = None) -> TemplateActivateAnswer:
        """Use it for events from now on

        Needs a key with the role manage or provision."""
        return await self._send(_template_activate.template_activate(event_type, channel, idempotency_key=idempotency_key))

    async def template_deactivate(self, event_type: str, channel: TemplateDeactivateChannel, *, idempotency_key: Optional[str] = None) -> TemplateDeactivateAnswer:
        """Ignore it when events are dispatched

        Needs a key with the role manage or provision."""
        return await self._send(_template_deactivate.template_deactivate(event_type, channel, idempotency_key=idempotency_key))

    async def template_preview(self, body: Union[TemplatePreviewBody, Mapping[str, Any]], ) -> TemplatePreviewAnswer:
        """Render a saved template, or with --content-file one that is not saved

        The flags of its text go with --content-file. Of a template with a digest it shows the events of
        $items in the variables, else three alike. Needs a key with the role manage or provision."""
        return await self._send(_template_preview.template_preview(body, ))

    async def layout_versions(self, ) -> LayoutVersionsAnswer:
        """All its versions, newest first

        Needs a key with the role manage or provision."""
        return await self._send(_layout_versions.layout_versions())

    async def layout_preview(self, body: Union[LayoutPreviewBody, Mapping[str, Any]], ) -> LayoutPreviewAnswer:
        """Render a sample mail in a layout, without saving it

        Fields that are left out have the platform's values. Needs a key with the role manage or provision."""
        return await self._send(_layout_preview.layout_preview(body, ))

    async def layout_show(self, *, version: Union[Unset, int] = UNSET, ) -> LayoutShowAnswer:
        """The live layout, or one of its versions

        Needs a key with the role manage or provision."""
        return await self._send(_layout_show.layout_show(version=version, ))

    async def layout_put(self, body: Union[LayoutPutBody, Mapping[str, Any]], ) -> LayoutPutAnswer:
        """Change the given settings, and republish every mail in Markdown with them; live within 5 s

        Fields that are left out keep their values. If one mail does not compile with it, the whole change
        is refused. Needs a key with the role manage or provision."""
        return await self._send(_layout_put.layout_put(body, ))

    async def layout_remove(self, ) -> LayoutRemoveAnswer:
        """Reset the layout to the platform's, with nothing of the tenant but its name

        Needs a key with the role manage or provision."""
        return await self._send(_layout_remove.layout_remove())

    async def layout_restore(self, version: int, *, idempotency_key: Optional[str] = None) -> LayoutRestoreAnswer:
        """Publish an older version again, as the newest

        Needs a key with the role manage or provision."""
        return await self._send(_layout_restore.layout_restore(version, idempotency_key=idempotency_key))

    async def image_delete(self, id: str, ) -> ImageDeleteAnswer:
        """Delete an image: mails that show it have a gap from then on

        Needs a key with the role manage or provision."""
        return await self._send(_image_delete.image_delete(id, ))

    async def image_list(self, ) -> ImageListAnswer:
        """The images of mails and the design, the newest first

        Needs a key with the role manage or provision."""
        return await self._send(_image_list.image_list())

    async def image_upload(self, body: Union[ImageUploadBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ImageUploadAnswer:
        """Store a PNG, JPEG, GIF or WebP file for mails and the design

        At most 2 MiB and 4096 pixels a side; a tenant has at most 200, together 100 MiB. The same file
        again is the same image. Needs a key with the role manage or provision."""
        return await self._send(_image_upload.image_upload(body, idempotency_key=idempotency_key))

    async def bundle_pull(self, ) -> BundlePullAnswer:
        """Export what a tenant has published as files: templates, layout and categories

        A folder for each event type holds a file for each channel and language. layout.mjml, layout.json
        and categories.json are beside the folders. Needs a key with the role manage or provision."""
        return await self._send(_bundle_pull.bundle_pull())

    async def bundle_apply(self, body: Union[BundleApplyBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> BundleApplyAnswer:
        """Publish such files, all or none; parts without a file stay unchanged

        Contents are compared: the same bundle again changes nothing and makes no version. A large change is
        compiled in the background: the answer is then 202 with an `id`, and `bundle progress` tells its
        end. Needs a key with the role manage or provision."""
        return await self._send(_bundle_apply.bundle_apply(body, dry_run=dry_run, idempotency_key=idempotency_key))

    async def bundle_progress(self, apply_id: str, ) -> BundleProgressAnswer:
        """Show the progress of a bundle or promotion that is applied in the background

        The call that begins one answers 202 with its id. At the end the state is `done`, or `failed` with
        `faults`: nothing is applied then. It is kept for 30 days after its end. Needs a key with the role
        manage or provision."""
        return await self._send(_bundle_progress.bundle_progress(apply_id, ))

    async def provider_show(self, id: str, ) -> ProviderShowAnswer:
        """One provider, by its id or by the flags, secrets masked

        Needs a key with the role manage or provision."""
        return await self._send(_provider_show.provider_show(id, ))

    async def provider_delete(self, id: str, ) -> ProviderDeleteAnswer:
        """Delete a provider with its settings; prints the deleted provider

        Messages that it sent keep their attempts. Needs a key with the role provision."""
        return await self._send(_provider_delete.provider_delete(id, ))

    async def provider_list(self, ) -> ProviderListAnswer:
        """A tenant's providers in the order of use, secrets masked

        Needs a key with the role manage or provision."""
        return await self._send(_provider_list.provider_list())

    async def provider_put(self, channel: ProviderPutChannel, name: str, body: Union[ProviderPutBody, Mapping[str, Any]], ) -> ProviderPutAnswer:
        """Check the settings and store them encrypted; a new provider becomes the first

        Needs a key with the role provision."""
        return await self._send(_provider_put.provider_put(channel, name, body, ))

    async def provider_rename(self, id: str, body: Union[ProviderRenameBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ProviderRenameAnswer:
        """Rename a provider; its settings and history stay

        Needs a key with the role provision."""
        return await self._send(_provider_rename.provider_rename(id, body, idempotency_key=idempotency_key))

    async def provider_activate(self, id: str, body: Union[ProviderActivateBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ProviderActivateAnswer:
        """Activate a provider: messages are sent through it

        A test of its settings must have been accepted, unless `untested` is given. Needs a key with the
        role provision."""
        return await self._send(_provider_activate.provider_activate(id, body, idempotency_key=idempotency_key))

    async def provider_deactivate(self, id: str, *, idempotency_key: Optional[str] = None) -> ProviderDeactivateAnswer:
        """Deactivate a provider: nothing more is sent through it

        Needs a key with the role provision."""
        return await self._send(_provider_deactivate.provider_deactivate(id, idempotency_key=idempotency_key))

    async def provider_make_first(self, id: str, *, idempotency_key: Optional[str] = None) -> ProviderMakeFirstAnswer:
        """Make a provider the first one; an inactive one must have passed a test

        Needs a key with the role provision."""
        return await self._send(_provider_make_first.provider_make_first(id, idempotency_key=idempotency_key))

    async def provider_move_up(self, id: str, *, idempotency_key: Optional[str] = None) -> ProviderMoveUpAnswer:
        """Move a provider one place up; prints its channel's providers in their order

        Needs a key with the role provision."""
        return await self._send(_provider_move_up.provider_move_up(id, idempotency_key=idempotency_key))

    async def provider_test(self, id: str, body: Union[ProviderTestBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ProviderTestAnswer:
        """Send a test message through a provider, active or not; prints the vendor's answer and stores whether
        it was accepted

        Needs a key with the role provision."""
        return await self._send(_provider_test.provider_test(id, body, idempotency_key=idempotency_key))

    async def event_search(self, *, search: str, limit: Union[Unset, int] = UNSET, ) -> EventSearchAnswer:
        """Events and users by what a customer gives: an address, a phone number, an id of the user, the event,
        a message or a trace

        Users are found by the beginning of their id or address as well, such as `ann` or `ann@exa`. Events
        need the whole value, since the search stores keyed hashes instead of values. Needs a key with the
        role manage or provision."""
        return await self._send(_event_search.event_search(search=search, limit=limit, ))

    async def event_resend(self, id: str, body: Union[EventResendBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> EventResendAnswer:
        """Send an event again, as a new one with the same content and today's templates; it counts towards the
        tenant's limits

        Needs a key with the role provision."""
        return await self._send(_event_resend.event_resend(id, body, idempotency_key=idempotency_key))

    async def event_cancel_one(self, id: str, *, idempotency_key: Optional[str] = None) -> EventCancelOneAnswer:
        """Cancel what has not been sent yet of one event, by Belfry's id only

        It does not cancel events that have the same text as their eventId. Needs a key with the role manage
        or provision."""
        return await self._send(_event_cancel_one.event_cancel_one(id, idempotency_key=idempotency_key))

    async def broadcast_estimate(self, body: Union[BroadcastEstimateBody, Mapping[str, Any]], ) -> BroadcastEstimateAnswer:
        """Estimate how many people a broadcast would reach, and why it would not reach the others

        Looks at the first 10000 people, by user id, as dispatching would: address, provider, preferences,
        suppression. If there are more, it extrapolates. Quiet hours only delay, and a template's throttle
        is not counted. Needs a key with the role manage or provision."""
        return await self._send(_broadcast_estimate.broadcast_estimate(body, ))

    async def digest_list(self, *, limit: Union[Unset, int] = UNSET, ) -> DigestListAnswer:
        """A tenant's open digests with their end and number of events, the one that ends next first

        Needs a key with the role manage or provision."""
        return await self._send(_digest_list.digest_list(limit=limit, ))

    async def digest_release(self, id: str, *, idempotency_key: Optional[str] = None) -> DigestReleaseAnswer:
        """Send an open digest now; quiet hours still apply

        Needs a key with the role provision."""
        return await self._send(_digest_release.digest_release(id, idempotency_key=idempotency_key))

    async def digest_show(self, id: str, ) -> DigestShowAnswer:
        """One digest, open or not, with the ids of its oldest 100 events

        Its events include those that are not in the message. Needs a key with the role manage or provision."""
        return await self._send(_digest_show.digest_show(id, ))

    async def outbox_list(self, *, event_id: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> OutboxListAnswer:
        """A tenant's sandbox messages, newest first

        Needs a key with the role manage or provision."""
        return await self._send(_outbox_list.outbox_list(event_id=event_id, limit=limit, after=after, ))

    async def outbox_show(self, id: str, ) -> OutboxShowAnswer:
        """One sandbox message

        Needs a key with the role manage or provision."""
        return await self._send(_outbox_show.outbox_show(id, ))

    async def dead_list(self, *, channel: Union[Unset, DeadListChannel] = UNSET, class_: Union[Unset, DeadListClass] = UNSET, provider: Union[Unset, str] = UNSET, since: Union[Unset, datetime.datetime] = UNSET, until: Union[Unset, datetime.datetime] = UNSET, ) -> DeadListAnswer:
        """Groups by tenant, channel, provider and error class, with counts and examples

        Needs a key with the role manage or provision."""
        return await self._send(_dead_list.dead_list(channel=channel, class_=class_, provider=provider, since=since, until=until, ))

    async def dead_show(self, id: str, ) -> DeadShowAnswer:
        """One delivery with its attempts and what the provider answered, or one message

        Needs a key with the role manage or provision."""
        return await self._send(_dead_show.dead_show(id, ))

    async def dead_discard(self, body: Union[DeadDiscardBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> DeadDiscardAnswer:
        """Discard dead letters for good; their attempts stay visible

        Needs a key with the role manage or provision."""
        return await self._send(_dead_discard.dead_discard(body, dry_run=dry_run, idempotency_key=idempotency_key))

    async def dead_replay(self, body: Union[DeadReplayBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, idempotency_key: Optional[str] = None) -> DeadReplayAnswer:
        """Send dead letters again: a new attempt of the same delivery, never of one that a provider accepted.
        What expired or is unknown goes only by its ID or its --class.

        Needs a key with the role provision."""
        return await self._send(_dead_replay.dead_replay(body, dry_run=dry_run, idempotency_key=idempotency_key))

    async def suppression_list(self, *, channel: Union[Unset, SuppressionListChannel] = UNSET, search: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> SuppressionListAnswer:
        """A tenant's suppressed addresses, each with the reason

        Needs a key with the role manage or provision."""
        return await self._send(_suppression_list.suppression_list(channel=channel, search=search, limit=limit, after=after, ))

    async def suppression_add(self, body: Union[SuppressionAddBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> SuppressionAddAnswer:
        """Suppress addresses: nothing more is sent to them

        Needs a key with the role manage or provision."""
        return await self._send(_suppression_add.suppression_add(body, idempotency_key=idempotency_key))

    async def suppression_remove(self, body: Union[SuppressionRemoveBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> SuppressionRemoveAnswer:
        """Lift the suppression of addresses: messages are sent to them again

        The provider may still suppress them in its own list. Needs a key with the role manage or provision."""
        return await self._send(_suppression_remove.suppression_remove(body, idempotency_key=idempotency_key))

    async def suppression_import(self, body: Union[SuppressionImportBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> SuppressionImportAnswer:
        """Suppress the addresses of a file: one per line, or a CSV column that is found by its heading; a bad
        line refuses the whole file

        The whole file is read before anything is written, a thousand addresses a transaction. After a
        failure in between, import it again. Needs a key with the role manage or provision."""
        return await self._send(_suppression_import.suppression_import(body, idempotency_key=idempotency_key))

    async def sms_inbound_list(self, *, number: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> SmsInboundListAnswer:
        """A tenant's inbound text messages, newest first

        People's answers to text messages, except keywords such as STOP. Needs a key with the role manage or
        provision."""
        return await self._send(_sms_inbound_list.sms_inbound_list(number=number, limit=limit, after=after, ))

    async def user_find(self, *, search: str, limit: Union[Unset, int] = UNSET, ) -> UserFindAnswer:
        """Find a tenant's users by the beginning of their id or email address, in upper or lower case

        `ann` finds `anna@example.com` and the user `ann-1`. The user of this very id comes first, then the
        others by their ids. Every character stands for itself, `%` and `_` too. Users that events alone
        name are found by their id. `event search` finds a phone number, by its end. Needs a key with the
        role manage or provision."""
        return await self._send(_user_find.user_find(search=search, limit=limit, ))

    async def user_list(self, *, after: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, ) -> UserListAnswer:
        """List a tenant's users by id, including users that only events name; `next` is set if there are more

        Needs a key with the role manage or provision."""
        return await self._send(_user_list.user_list(after=after, limit=limit, ))

    async def user_preference_set(self, user_id: str, category: str, channel: UserPreferenceSetChannel, body: Union[UserPreferenceSetBody, Mapping[str, Any]], ) -> UserPreferenceSetAnswer:
        """Turn a category on a channel on or off for a user, or clear the choice

        Needs a key with the role manage or provision."""
        return await self._send(_user_preference_set.user_preference_set(user_id, category, channel, body, ))

    async def user_import(self, body: Union[UserImportBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> UserImportAnswer:
        """Import a CSV file of users who unsubscribed elsewhere; a bad line refuses the whole file

        The whole file is read before anything is written, a thousand cells a transaction. After a failure
        in between, import it again: what is off stays as it is. Needs a key with the role manage or
        provision."""
        return await self._send(_user_import.user_import(body, idempotency_key=idempotency_key))

    async def import_add(self, import_id: str, body: Union[ImportAddBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ImportAddAnswer:
        """Send the next part of a file

        Parts come one after the other; a file may be cut at any place. The part that came last may be sent
        again. A file that is too large is refused, and its import cancelled. Needs a key with the role
        manage or provision."""
        return await self._send(_import_add.import_add(import_id, body, idempotency_key=idempotency_key))

    async def import_cancel(self, import_id: str, *, idempotency_key: Optional[str] = None) -> ImportCancelAnswer:
        """Stop an import; the lines that were imported stay

        Needs a key with the role manage or provision."""
        return await self._send(_import_cancel.import_cancel(import_id, idempotency_key=idempotency_key))

    async def import_list(self, *, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> ImportListAnswer:
        """A tenant's imports, the newest first

        Needs a key with the role manage or provision."""
        return await self._send(_import_list.import_list(limit=limit, after=after, ))

    async def import_start(self, body: Union[ImportStartBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> ImportStartAnswer:
        """Import a CSV file of users, or of a topic's members, in the background

        `users`: the first line names the columns: userId, and any of email, phone, chat, locale, timezone
        and quietHours (as 22:00-06:00). An empty field says that there is none; a column that the file has
        not stays as it is. `members`: the users of the column userId are added to the topic, or, by their
        addresses in the directory, those of the column email. A file may have 1000000 lines and 128 MiB:
        send a longer text in parts. Bad lines are left out and told. It is kept for 30 days after its end.
        Needs a key with the role manage or provision."""
        return await self._send(_import_start.import_start(body, idempotency_key=idempotency_key))

    async def import_show(self, import_id: str, ) -> ImportShowAnswer:
        """Show the progress of an import, and the faults of its lines

        Needs a key with the role manage or provision."""
        return await self._send(_import_show.import_show(import_id, ))

    async def category_assign(self, event_type: str, body: Union[CategoryAssignBody, Mapping[str, Any]], ) -> CategoryAssignAnswer:
        """Set the category of an event type

        It applies to every event that is dispatched from then on. Needs a key with the role manage or
        provision."""
        return await self._send(_category_assign.category_assign(event_type, body, ))

    async def category_put(self, key: str, body: Union[CategoryPutBody, Mapping[str, Any]], ) -> CategoryPutAnswer:
        """Create a category, or change the given settings of one; applies within 5 s

        Fields that are left out keep their values. An empty text removes its language. Needs a key with the
        role manage or provision."""
        return await self._send(_category_put.category_put(key, body, ))

    async def category_delete(self, key: str, ) -> CategoryDeleteAnswer:
        """Delete a category that has no event types; users' choices for it are kept

        It is refused while event types belong to it: their messages would reach users who turned them off.
        Needs a key with the role manage or provision."""
        return await self._send(_category_delete.category_delete(key, ))

    async def category_list(self, ) -> CategoryListAnswer:
        """A tenant's categories, each with the event types that belong to it

        Needs a key with the role manage or provision."""
        return await self._send(_category_list.category_list())

    async def category_move(self, key: str, body: Union[CategoryMoveBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> CategoryMoveAnswer:
        """Move a category to a place among the others; prints all in their order

        The positions of all categories become 0, 1, 2 and so on. Needs a key with the role manage or
        provision."""
        return await self._send(_category_move.category_move(key, body, idempotency_key=idempotency_key))

    async def operator_disconnect_identity(self, person: str, *, idempotency_key: Optional[str] = None) -> OperatorDisconnectIdentityAnswer:
        """Disconnect a person of any tenant, or an operator, from their account at the provider of OpenID
        Connect; all their sessions end, and who has no password needs a reset link

        Needs a platform key."""
        return await self._send(_operator_disconnect_identity.operator_disconnect_identity(person, idempotency_key=idempotency_key))

    async def operator_invite(self, body: Union[OperatorInviteBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> OperatorInviteAnswer:
        """Create a link that makes a person an operator; it is printed only now and works once

        Needs a platform key."""
        return await self._send(_operator_invite.operator_invite(body, idempotency_key=idempotency_key))

    async def operator_reset_link(self, person: str, *, idempotency_key: Optional[str] = None) -> OperatorResetLinkAnswer:
        """Create a link with which a person of any tenant, or an operator, sets a new password; it is printed
        only now, works once, for an hour, and ends the one before

        Needs a platform key."""
        return await self._send(_operator_reset_link.operator_reset_link(person, idempotency_key=idempotency_key))

    async def operator_remove(self, person: str, ) -> OperatorRemoveAnswer:
        """Remove a person's rights as an operator; the last operator keeps them

        Needs a platform key."""
        return await self._send(_operator_remove.operator_remove(person, ))

    async def operator_remove_totp(self, person: str, *, idempotency_key: Optional[str] = None) -> OperatorRemoveTotpAnswer:
        """Remove two-factor authentication from a person of any tenant, or an operator, who has lost the
        authenticator app; all their sessions end

        Needs a platform key."""
        return await self._send(_operator_remove_totp.operator_remove_totp(person, idempotency_key=idempotency_key))

    async def operator_list(self, ) -> OperatorListAnswer:
        """List operators

        Needs a platform key."""
        return await self._send(_operator_list.operator_list())

    async def operator_withdraw(self, invitation: str, ) -> OperatorWithdrawAnswer:
        """Withdraw an operator's invitation: its link stops working

        Needs a platform key."""
        return await self._send(_operator_withdraw.operator_withdraw(invitation, ))

    async def alert_list_all(self, person: str, ) -> AlertListAllAnswer:
        """Show the alerts about all tenants that an operator gets by mail and in a chat

        Needs a platform key."""
        return await self._send(_alert_list_all.alert_list_all(person, ))

    async def alert_set_all(self, person: str, body: Union[AlertSetAllBody, Mapping[str, Any]], ) -> AlertSetAllAnswer:
        """Choose the alerts about all tenants that an operator gets by mail and in a chat

        The providers of the tenant that sends Belfry's own mail post to the chat. Needs a platform key."""
        return await self._send(_alert_set_all.alert_set_all(person, body, ))

    async def alert_sender(self, ) -> AlertSenderAnswer:
        """Show the tenant that sends Belfry's own mail: alerts, invitations, password reset links

        Needs a platform key."""
        return await self._send(_alert_sender.alert_sender())

    async def alert_set_sender(self, body: Union[AlertSetSenderBody, Mapping[str, Any]], ) -> AlertSetSenderAnswer:
        """Choose the tenant that sends Belfry's own mail by its providers, or none

        Whoever has its messages has the password reset links of everybody. Belfry sends nothing while it
        has members who are not operators, or API keys for management. Needs a platform key."""
        return await self._send(_alert_set_sender.alert_set_sender(body, ))

    async def audit_list(self, *, tenant: Union[Unset, str] = UNSET, person: Union[Unset, str] = UNSET, object_: Union[Unset, str] = UNSET, since: Union[Unset, datetime.datetime] = UNSET, until: Union[Unset, datetime.datetime] = UNSET, limit: Union[Unset, int] = UNSET, before: Union[Unset, str] = UNSET, ) -> AuditListAnswer:
        """Entries of the audit log, the newest first; `next` is there where there are older ones

        Needs a platform key."""
        return await self._send(_audit_list.audit_list(tenant=tenant, person=person, object_=object_, since=since, until=until, limit=limit, before=before, ))

    async def realtime_new_epoch(self, *, idempotency_key: Optional[str] = None) -> RealtimeNewEpochAnswer:
        """Make every client load its history again, for use after a restore

        A restored database assigns offsets again that clients have already seen. With a new epoch, each
        client forgets its position at its next reconnect and loads its history again. Needs a platform key."""
        return await self._send(_realtime_new_epoch.realtime_new_epoch(idempotency_key=idempotency_key))

