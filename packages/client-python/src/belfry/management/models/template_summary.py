from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
from typing import Union
import datetime

if TYPE_CHECKING:
  from ..models.template_summary_actions_item import TemplateSummaryActionsItem
  from ..models.template_summary_data_type_0 import TemplateSummaryDataType0
  from ..models.template_summary_digest_type_0 import TemplateSummaryDigestType0
  from ..models.template_summary_locales_item import TemplateSummaryLocalesItem
  from ..models.template_summary_throttle_type_0 import TemplateSummaryThrottleType0





T = TypeVar("T", bound="TemplateSummary")



@_attrs_define
class TemplateSummary:
    """ 
        Attributes:
            active (bool): use it for events; default: true
            sensitive (bool): one-time codes and the like: content is erased and never shown
            at_most_once (bool): a try without an answer is not repeated: it ends as unknown
            plain_characters (bool): of SMS: curly quotes, dashes and the like are sent as plain ones
            expires_after_seconds (Union[None, int]): seconds after the event; a message that is later than that is not sent
            digest (Union['TemplateSummaryDigestType0', None]): combines several events into one message; null: each event
                is sent alone
            throttle (Union['TemplateSummaryThrottleType0', None]): at most `count` messages per user in any `seconds`; the
                rest are skipped
            after_unread_seconds (Union[None, int]): sent after that time, unless it was read in the inbox
            required_variables (list[str]):
            from_name (Union[None, str]): of EMAIL: the name beside the sender's address, with {{variables}}; '' for the
                provider's; default: as it is
            reply_to (Union[None, str]): of EMAIL: where answers go, with {{variables}}; '' for the provider's; default: as
                it is
            cc (Union[None, list[str]]): of EMAIL: who gets a copy that everybody sees, as a@example.com,b@example.com; ''
                for nobody; default: as it is
            bcc (Union[None, list[str]]): of EMAIL: who gets a copy that nobody sees, as a@example.com,b@example.com; '' for
                nobody; default: as it is
            image (Union[None, str]): of DEVICE: an https URL of a picture, with {{variables}}; '' for none; default: as it
                is
            data (Union['TemplateSummaryDataType0', None]): of DEVICE: values for the app by name, texts with {{variables}};
                {} for none; default: as it is
            collapse_key (Union[None, str]): of DEVICE: a later message with the same key replaces the earlier one, with
                {{variables}}; '' for none; default: as it is
            sample_variables (Union[None, str]): for previews: a JSON object as text
            id (str):
            tenant_id (str): platform for what begins with global.
            event_type (str):
            channel (str): EMAIL, SMS, PUSH, DEVICE or CHAT
            version (int): Counts what was published in all languages, from 1; 0: nothing is published
            saved_by (Union[None, str]): The person who saved the published version, if known
            variables (list[str]): Variables that its text names
            has_draft (bool): Whether the default variant has a draft
            locales (list['TemplateSummaryLocalesItem']): Its translations
            created_at (datetime.datetime): When it was created; ISO 8601, UTC
            updated_at (datetime.datetime): When it was last published; ISO 8601, UTC
            target_channel (Union[None, Unset, str]): Realtime channel of a notification; null: the personal channel
            subject (Union[None, Unset, str]): Subject of a mail
            format_ (Union[None, Unset, str]): Format of a mail: the set one, or the derived one
            title (Union[None, Unset, str]): Title of a notification
            url (Union[None, Unset, str]): The address that a notification opens
            actions (Union[Unset, list['TemplateSummaryActionsItem']]): buttons of PUSH; up to two
     """

    active: bool
    sensitive: bool
    at_most_once: bool
    plain_characters: bool
    expires_after_seconds: Union[None, int]
    digest: Union['TemplateSummaryDigestType0', None]
    throttle: Union['TemplateSummaryThrottleType0', None]
    after_unread_seconds: Union[None, int]
    required_variables: list[str]
    from_name: Union[None, str]
    reply_to: Union[None, str]
    cc: Union[None, list[str]]
    bcc: Union[None, list[str]]
    image: Union[None, str]
    data: Union['TemplateSummaryDataType0', None]
    collapse_key: Union[None, str]
    sample_variables: Union[None, str]
    id: str
    tenant_id: str
    event_type: str
    channel: str
    version: int
    saved_by: Union[None, str]
    variables: list[str]
    has_draft: bool
    locales: list['TemplateSummaryLocalesItem']
    created_at: datetime.datetime
    updated_at: datetime.datetime
    target_channel: Union[None, Unset, str] = UNSET
    subject: Union[None, Unset, str] = UNSET
    format_: Union[None, Unset, str] = UNSET
    title: Union[None, Unset, str] = UNSET
    url: Union[None, Unset, str] = UNSET
    actions: Union[Unset, list['TemplateSummaryActionsItem']] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.template_summary_actions_item import TemplateSummaryActionsItem
        from ..models.template_summary_data_type_0 import TemplateSummaryDataType0
        from ..models.template_summary_digest_type_0 import TemplateSummaryDigestType0
        from ..models.template_summary_locales_item import TemplateSummaryLocalesItem
        from ..models.template_summary_throttle_type_0 import TemplateSummaryThrottleType0
        active = self.active

        sensitive = self.sensitive

        at_most_once = self.at_most_once

        plain_characters = self.plain_characters

        expires_after_seconds: Union[None, int]
        expires_after_seconds = self.expires_after_seconds

        digest: Union[None, dict[str, Any]]
        if isinstance(self.digest, TemplateSummaryDigestType0):
            digest = self.digest.to_dict()
        else:
            digest = self.digest

        throttle: Union[None, dict[str, Any]]
        if isinstance(self.throttle, TemplateSummaryThrottleType0):
            throttle = self.throttle.to_dict()
        else:
            throttle = self.throttle

        after_unread_seconds: Union[None, int]
        after_unread_seconds = self.after_unread_seconds

        required_variables = self.required_variables



        from_name: Union[None, str]
        from_name = self.from_name

        reply_to: Union[None, str]
        reply_to = self.reply_to

        cc: Union[None, list[str]]
        if isinstance(self.cc, list):
            cc = self.cc


        else:
            cc = self.cc

        bcc: Union[None, list[str]]
        if isinstance(self.bcc, list):
            bcc = self.bcc


        else:
            bcc = self.bcc

        image: Union[None, str]
        image = self.image

        data: Union[None, dict[str, Any]]
        if isinstance(self.data, TemplateSummaryDataType0):
            data = self.data.to_dict()
        else:
            data = self.data

        collapse_key: Union[None, str]
        collapse_key = self.collapse_key

        sample_variables: Union[None, str]
        sample_variables = self.sample_variables

        id = self.id

        tenant_id = self.tenant_id

        event_type = self.event_type

        channel = self.channel

        version = self.version

        saved_by: Union[None, str]
        saved_by = self.saved_by

        variables = self.variables



        has_draft = self.has_draft

        locales = []
        for locales_item_data in self.locales:
            locales_item = locales_item_data.to_dict()
            locales.append(locales_item)



        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        target_channel: Union[None, Unset, str]
        if isinstance(self.target_channel, Unset):
            target_channel = UNSET
        else:
            target_channel = self.target_channel

        subject: Union[None, Unset, str]
        if isinstance(self.subject, Unset):
            subject = UNSET
        else:
            subject = self.subject

        format_: Union[None, Unset, str]
        if isinstance(self.format_, Unset):
            format_ = UNSET
        else:
            format_ = self.format_

        title: Union[None, Unset, str]
        if isinstance(self.title, Unset):
            title = UNSET
        else:
            title = self.title

        url: Union[None, Unset, str]
        if isinstance(self.url, Unset):
            url = UNSET
        else:
            url = self.url

        actions: Union[Unset, list[dict[str, Any]]] = UNSET
        if not isinstance(self.actions, Unset):
            actions = []
            for actions_item_data in self.actions:
                actions_item = actions_item_data.to_dict()
                actions.append(actions_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "active": active,
            "sensitive": sensitive,
            "atMostOnce": at_most_once,
            "plainCharacters": plain_characters,
            "expiresAfterSeconds": expires_after_seconds,
            "digest": digest,
            "throttle": throttle,
            "afterUnreadSeconds": after_unread_seconds,
            "requiredVariables": required_variables,
            "fromName": from_name,
            "replyTo": reply_to,
            "cc": cc,
            "bcc": bcc,
            "image": image,
            "data": data,
            "collapseKey": collapse_key,
            "sampleVariables": sample_variables,
            "id": id,
            "tenantId": tenant_id,
            "eventType": event_type,
            "channel": channel,
            "version": version,
            "savedBy": saved_by,
            "variables": variables,
            "hasDraft": has_draft,
            "locales": locales,
            "createdAt": created_at,
            "updatedAt": updated_at,
        })
        if target_channel is not UNSET:
            field_dict["targetChannel"] = target_channel
        if subject is not UNSET:
            field_dict["subject"] = subject
        if format_ is not UNSET:
            field_dict["format"] = format_
        if title is not UNSET:
            field_dict["title"] = title
        if url is not UNSET:
            field_dict["url"] = url
        if actions is not UNSET:
            field_dict["actions"] = actions

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.template_summary_actions_item import TemplateSummaryActionsItem
        from ..models.template_summary_data_type_0 import TemplateSummaryDataType0
        from ..models.template_summary_digest_type_0 import TemplateSummaryDigestType0
        from ..models.template_summary_locales_item import TemplateSummaryLocalesItem
        from ..models.template_summary_throttle_type_0 import TemplateSummaryThrottleType0
        d = dict(src_dict)
        active = d.pop("active")

        sensitive = d.pop("sensitive")

        at_most_once = d.pop("atMostOnce")

        plain_characters = d.pop("plainCharacters")

        def _parse_expires_after_seconds(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        expires_after_seconds = _parse_expires_after_seconds(d.pop("expiresAfterSeconds"))


        def _parse_digest(data: object) -> Union['TemplateSummaryDigestType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                digest_type_0 = TemplateSummaryDigestType0.from_dict(data)



                return digest_type_0
            except: # noqa: E722
                pass
            return cast(Union['TemplateSummaryDigestType0', None], data)

        digest = _parse_digest(d.pop("digest"))


        def _parse_throttle(data: object) -> Union['TemplateSummaryThrottleType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                throttle_type_0 = TemplateSummaryThrottleType0.from_dict(data)



                return throttle_type_0
            except: # noqa: E722
                pass
            return cast(Union['TemplateSummaryThrottleType0', None], data)

        throttle = _parse_throttle(d.pop("throttle"))


        def _parse_after_unread_seconds(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        after_unread_seconds = _parse_after_unread_seconds(d.pop("afterUnreadSeconds"))


        required_variables = cast(list[str], d.pop("requiredVariables"))


        def _parse_from_name(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        from_name = _parse_from_name(d.pop("fromName"))


        def _parse_reply_to(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        reply_to = _parse_reply_to(d.pop("replyTo"))


        def _parse_cc(data: object) -> Union[None, list[str]]:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                cc_type_0 = cast(list[str], data)

                return cc_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, list[str]], data)

        cc = _parse_cc(d.pop("cc"))


        def _parse_bcc(data: object) -> Union[None, list[str]]:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                bcc_type_0 = cast(list[str], data)

                return bcc_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, list[str]], data)

        bcc = _parse_bcc(d.pop("bcc"))


        def _parse_image(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        image = _parse_image(d.pop("image"))


        def _parse_data(data: object) -> Union['TemplateSummaryDataType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                data_type_0 = TemplateSummaryDataType0.from_dict(data)



                return data_type_0
            except: # noqa: E722
                pass
            return cast(Union['TemplateSummaryDataType0', None], data)

        data = _parse_data(d.pop("data"))


        def _parse_collapse_key(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        collapse_key = _parse_collapse_key(d.pop("collapseKey"))


        def _parse_sample_variables(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        sample_variables = _parse_sample_variables(d.pop("sampleVariables"))


        id = d.pop("id")

        tenant_id = d.pop("tenantId")

        event_type = d.pop("eventType")

        channel = d.pop("channel")

        version = d.pop("version")

        def _parse_saved_by(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        saved_by = _parse_saved_by(d.pop("savedBy"))


        variables = cast(list[str], d.pop("variables"))


        has_draft = d.pop("hasDraft")

        locales = []
        _locales = d.pop("locales")
        for locales_item_data in (_locales):
            locales_item = TemplateSummaryLocalesItem.from_dict(locales_item_data)



            locales.append(locales_item)


        created_at = isoparse(d.pop("createdAt"))




        updated_at = isoparse(d.pop("updatedAt"))




        def _parse_target_channel(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        target_channel = _parse_target_channel(d.pop("targetChannel", UNSET))


        def _parse_subject(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        subject = _parse_subject(d.pop("subject", UNSET))


        def _parse_format_(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        format_ = _parse_format_(d.pop("format", UNSET))


        def _parse_title(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        title = _parse_title(d.pop("title", UNSET))


        def _parse_url(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        url = _parse_url(d.pop("url", UNSET))


        actions = []
        _actions = d.pop("actions", UNSET)
        for actions_item_data in (_actions or []):
            actions_item = TemplateSummaryActionsItem.from_dict(actions_item_data)



            actions.append(actions_item)


        template_summary = cls(
            active=active,
            sensitive=sensitive,
            at_most_once=at_most_once,
            plain_characters=plain_characters,
            expires_after_seconds=expires_after_seconds,
            digest=digest,
            throttle=throttle,
            after_unread_seconds=after_unread_seconds,
            required_variables=required_variables,
            from_name=from_name,
            reply_to=reply_to,
            cc=cc,
            bcc=bcc,
            image=image,
            data=data,
            collapse_key=collapse_key,
            sample_variables=sample_variables,
            id=id,
            tenant_id=tenant_id,
            event_type=event_type,
            channel=channel,
            version=version,
            saved_by=saved_by,
            variables=variables,
            has_draft=has_draft,
            locales=locales,
            created_at=created_at,
            updated_at=updated_at,
            target_channel=target_channel,
            subject=subject,
            format_=format_,
            title=title,
            url=url,
            actions=actions,
        )


        template_summary.additional_properties = d
        return template_summary

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
