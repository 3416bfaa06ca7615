from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.template_put_body_format import check_template_put_body_format
from ..models.template_put_body_format import TemplatePutBodyFormat
from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union

if TYPE_CHECKING:
  from ..models.template_put_body_actions_item import TemplatePutBodyActionsItem
  from ..models.template_put_body_data_type_0 import TemplatePutBodyDataType0
  from ..models.template_put_body_digest_type_0 import TemplatePutBodyDigestType0
  from ..models.template_put_body_throttle_type_0 import TemplatePutBodyThrottleType0





T = TypeVar("T", bound="TemplatePutBody")



@_attrs_define
class TemplatePutBody:
    """ 
        Attributes:
            content (str): Markdown, MJML, HTML or text with {{variables}}
            locale (Union[Unset, str]): a language of it, as de or de-AT; default: the variant without one
            subject (Union[Unset, str]): of EMAIL; may hold {{variables}}
            format_ (Union[Unset, TemplatePutBodyFormat]): of EMAIL; default: as it is, and of a new one found out (never
                markdown)
            title (Union[Unset, str]): of PUSH or DEVICE; may hold {{variables}}
            url (Union[Unset, str]): what PUSH, DEVICE or CHAT opens: https or, in a page, a path; may hold {{variables}}
            actions (Union[Unset, list['TemplatePutBodyActionsItem']]): buttons of PUSH; up to two
            based_on_version (Union[Unset, int]): the version in force that the editor began with, 0: none; refused over
                another
            source_version (Union[Unset, int]): of a translation: the version of the default that it is made from; default:
                the current one
            active (Union[Unset, bool]): use it for events; default: true
            sensitive (Union[Unset, bool]): one-time codes and the like: content is erased and never shown
            at_most_once (Union[Unset, bool]): a try without an answer is not repeated: it ends as unknown
            plain_characters (Union[Unset, bool]): of SMS: curly quotes, dashes and the like are sent as plain ones
            expires_after_seconds (Union[None, Unset, int]): seconds after the event; a message that is later than that is
                not sent
            digest (Union['TemplatePutBodyDigestType0', None, Unset]): combines several events into one message; null: each
                event is sent alone
            throttle (Union['TemplatePutBodyThrottleType0', None, Unset]): at most `count` messages per user in any
                `seconds`; the rest are skipped
            after_unread_seconds (Union[None, Unset, int]): sent after that time, unless it was read in the inbox
            target_channel (Union[None, Unset, str]): realtime channel of PUSH; default: the personal one
            required_variables (Union[None, Unset, list[str]]): a,b: without one of them nothing is sent on this channel; ''
                for none; default: as they are
            from_name (Union[None, Unset, str]): of EMAIL: the name beside the sender's address, with {{variables}}; '' for
                the provider's; default: as it is
            reply_to (Union[None, Unset, str]): of EMAIL: where answers go, with {{variables}}; '' for the provider's;
                default: as it is
            cc (Union[None, Unset, list[str]]): of EMAIL: who gets a copy that everybody sees, as
                a@example.com,b@example.com; '' for nobody; default: as it is
            bcc (Union[None, Unset, list[str]]): of EMAIL: who gets a copy that nobody sees, as a@example.com,b@example.com;
                '' for nobody; default: as it is
            image (Union[None, Unset, str]): of DEVICE: an https URL of a picture, with {{variables}}; '' for none; default:
                as it is
            data (Union['TemplatePutBodyDataType0', None, Unset]): of DEVICE: values for the app by name, texts with
                {{variables}}; {} for none; default: as it is
            collapse_key (Union[None, Unset, str]): of DEVICE: a later message with the same key replaces the earlier one,
                with {{variables}}; '' for none; default: as it is
            sample_variables (Union[None, Unset, str]): for previews: a JSON object as text
     """

    content: str
    locale: Union[Unset, str] = UNSET
    subject: Union[Unset, str] = UNSET
    format_: Union[Unset, TemplatePutBodyFormat] = UNSET
    title: Union[Unset, str] = UNSET
    url: Union[Unset, str] = UNSET
    actions: Union[Unset, list['TemplatePutBodyActionsItem']] = UNSET
    based_on_version: Union[Unset, int] = UNSET
    source_version: Union[Unset, int] = UNSET
    active: Union[Unset, bool] = UNSET
    sensitive: Union[Unset, bool] = UNSET
    at_most_once: Union[Unset, bool] = UNSET
    plain_characters: Union[Unset, bool] = UNSET
    expires_after_seconds: Union[None, Unset, int] = UNSET
    digest: Union['TemplatePutBodyDigestType0', None, Unset] = UNSET
    throttle: Union['TemplatePutBodyThrottleType0', None, Unset] = UNSET
    after_unread_seconds: Union[None, Unset, int] = UNSET
    target_channel: Union[None, Unset, str] = UNSET
    required_variables: Union[None, Unset, list[str]] = UNSET
    from_name: Union[None, Unset, str] = UNSET
    reply_to: Union[None, Unset, str] = UNSET
    cc: Union[None, Unset, list[str]] = UNSET
    bcc: Union[None, Unset, list[str]] = UNSET
    image: Union[None, Unset, str] = UNSET
    data: Union['TemplatePutBodyDataType0', None, Unset] = UNSET
    collapse_key: Union[None, Unset, str] = UNSET
    sample_variables: Union[None, Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.template_put_body_actions_item import TemplatePutBodyActionsItem
        from ..models.template_put_body_data_type_0 import TemplatePutBodyDataType0
        from ..models.template_put_body_digest_type_0 import TemplatePutBodyDigestType0
        from ..models.template_put_body_throttle_type_0 import TemplatePutBodyThrottleType0
        content = self.content

        locale = self.locale

        subject = self.subject

        format_: Union[Unset, str] = UNSET
        if not isinstance(self.format_, Unset):
            format_ = self.format_


        title = self.title

        url = self.url

        actions: Union[Unset, list[dict[str, Any]]] = UNSET
        if not isinstance(self.actions, Unset):
            actions = []
            for actions_item_data in self.actions:
                actions_item = actions_item_data.to_dict()
                actions.append(actions_item)



        based_on_version = self.based_on_version

        source_version = self.source_version

        active = self.active

        sensitive = self.sensitive

        at_most_once = self.at_most_once

        plain_characters = self.plain_characters

        expires_after_seconds: Union[None, Unset, int]
        if isinstance(self.expires_after_seconds, Unset):
            expires_after_seconds = UNSET
        else:
            expires_after_seconds = self.expires_after_seconds

        digest: Union[None, Unset, dict[str, Any]]
        if isinstance(self.digest, Unset):
            digest = UNSET
        elif isinstance(self.digest, TemplatePutBodyDigestType0):
            digest = self.digest.to_dict()
        else:
            digest = self.digest

        throttle: Union[None, Unset, dict[str, Any]]
        if isinstance(self.throttle, Unset):
            throttle = UNSET
        elif isinstance(self.throttle, TemplatePutBodyThrottleType0):
            throttle = self.throttle.to_dict()
        else:
            throttle = self.throttle

        after_unread_seconds: Union[None, Unset, int]
        if isinstance(self.after_unread_seconds, Unset):
            after_unread_seconds = UNSET
        else:
            after_unread_seconds = self.after_unread_seconds

        target_channel: Union[None, Unset, str]
        if isinstance(self.target_channel, Unset):
            target_channel = UNSET
        else:
            target_channel = self.target_channel

        required_variables: Union[None, Unset, list[str]]
        if isinstance(self.required_variables, Unset):
            required_variables = UNSET
        elif isinstance(self.required_variables, list):
            required_variables = self.required_variables


        else:
            required_variables = self.required_variables

        from_name: Union[None, Unset, str]
        if isinstance(self.from_name, Unset):
            from_name = UNSET
        else:
            from_name = self.from_name

        reply_to: Union[None, Unset, str]
        if isinstance(self.reply_to, Unset):
            reply_to = UNSET
        else:
            reply_to = self.reply_to

        cc: Union[None, Unset, list[str]]
        if isinstance(self.cc, Unset):
            cc = UNSET
        elif isinstance(self.cc, list):
            cc = self.cc


        else:
            cc = self.cc

        bcc: Union[None, Unset, list[str]]
        if isinstance(self.bcc, Unset):
            bcc = UNSET
        elif isinstance(self.bcc, list):
            bcc = self.bcc


        else:
            bcc = self.bcc

        image: Union[None, Unset, str]
        if isinstance(self.image, Unset):
            image = UNSET
        else:
            image = self.image

        data: Union[None, Unset, dict[str, Any]]
        if isinstance(self.data, Unset):
            data = UNSET
        elif isinstance(self.data, TemplatePutBodyDataType0):
            data = self.data.to_dict()
        else:
            data = self.data

        collapse_key: Union[None, Unset, str]
        if isinstance(self.collapse_key, Unset):
            collapse_key = UNSET
        else:
            collapse_key = self.collapse_key

        sample_variables: Union[None, Unset, str]
        if isinstance(self.sample_variables, Unset):
            sample_variables = UNSET
        else:
            sample_variables = self.sample_variables


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "content": content,
        })
        if locale is not UNSET:
            field_dict["locale"] = locale
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
        if based_on_version is not UNSET:
            field_dict["basedOnVersion"] = based_on_version
        if source_version is not UNSET:
            field_dict["sourceVersion"] = source_version
        if active is not UNSET:
            field_dict["active"] = active
        if sensitive is not UNSET:
            field_dict["sensitive"] = sensitive
        if at_most_once is not UNSET:
            field_dict["atMostOnce"] = at_most_once
        if plain_characters is not UNSET:
            field_dict["plainCharacters"] = plain_characters
        if expires_after_seconds is not UNSET:
            field_dict["expiresAfterSeconds"] = expires_after_seconds
        if digest is not UNSET:
            field_dict["digest"] = digest
        if throttle is not UNSET:
            field_dict["throttle"] = throttle
        if after_unread_seconds is not UNSET:
            field_dict["afterUnreadSeconds"] = after_unread_seconds
        if target_channel is not UNSET:
            field_dict["targetChannel"] = target_channel
        if required_variables is not UNSET:
            field_dict["requiredVariables"] = required_variables
        if from_name is not UNSET:
            field_dict["fromName"] = from_name
        if reply_to is not UNSET:
            field_dict["replyTo"] = reply_to
        if cc is not UNSET:
            field_dict["cc"] = cc
        if bcc is not UNSET:
            field_dict["bcc"] = bcc
        if image is not UNSET:
            field_dict["image"] = image
        if data is not UNSET:
            field_dict["data"] = data
        if collapse_key is not UNSET:
            field_dict["collapseKey"] = collapse_key
        if sample_variables is not UNSET:
            field_dict["sampleVariables"] = sample_variables

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.template_put_body_actions_item import TemplatePutBodyActionsItem
        from ..models.template_put_body_data_type_0 import TemplatePutBodyDataType0
        from ..models.template_put_body_digest_type_0 import TemplatePutBodyDigestType0
        from ..models.template_put_body_throttle_type_0 import TemplatePutBodyThrottleType0
        d = dict(src_dict)
        content = d.pop("content")

        locale = d.pop("locale", UNSET)

        subject = d.pop("subject", UNSET)

        _format_ = d.pop("format", UNSET)
        format_: Union[Unset, TemplatePutBodyFormat]
        if isinstance(_format_,  Unset):
            format_ = UNSET
        else:
            format_ = check_template_put_body_format(_format_)




        title = d.pop("title", UNSET)

        url = d.pop("url", UNSET)

        actions = []
        _actions = d.pop("actions", UNSET)
        for actions_item_data in (_actions or []):
            actions_item = TemplatePutBodyActionsItem.from_dict(actions_item_data)



            actions.append(actions_item)


        based_on_version = d.pop("basedOnVersion", UNSET)

        source_version = d.pop("sourceVersion", UNSET)

        active = d.pop("active", UNSET)

        sensitive = d.pop("sensitive", UNSET)

        at_most_once = d.pop("atMostOnce", UNSET)

        plain_characters = d.pop("plainCharacters", UNSET)

        def _parse_expires_after_seconds(data: object) -> Union[None, Unset, int]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, int], data)

        expires_after_seconds = _parse_expires_after_seconds(d.pop("expiresAfterSeconds", UNSET))


        def _parse_digest(data: object) -> Union['TemplatePutBodyDigestType0', None, Unset]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                digest_type_0 = TemplatePutBodyDigestType0.from_dict(data)



                return digest_type_0
            except: # noqa: E722
                pass
            return cast(Union['TemplatePutBodyDigestType0', None, Unset], data)

        digest = _parse_digest(d.pop("digest", UNSET))


        def _parse_throttle(data: object) -> Union['TemplatePutBodyThrottleType0', None, Unset]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                throttle_type_0 = TemplatePutBodyThrottleType0.from_dict(data)



                return throttle_type_0
            except: # noqa: E722
                pass
            return cast(Union['TemplatePutBodyThrottleType0', None, Unset], data)

        throttle = _parse_throttle(d.pop("throttle", UNSET))


        def _parse_after_unread_seconds(data: object) -> Union[None, Unset, int]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, int], data)

        after_unread_seconds = _parse_after_unread_seconds(d.pop("afterUnreadSeconds", UNSET))


        def _parse_target_channel(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        target_channel = _parse_target_channel(d.pop("targetChannel", UNSET))


        def _parse_required_variables(data: object) -> Union[None, Unset, list[str]]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                required_variables_type_0 = cast(list[str], data)

                return required_variables_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, Unset, list[str]], data)

        required_variables = _parse_required_variables(d.pop("requiredVariables", UNSET))


        def _parse_from_name(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        from_name = _parse_from_name(d.pop("fromName", UNSET))


        def _parse_reply_to(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        reply_to = _parse_reply_to(d.pop("replyTo", UNSET))


        def _parse_cc(data: object) -> Union[None, Unset, list[str]]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                cc_type_0 = cast(list[str], data)

                return cc_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, Unset, list[str]], data)

        cc = _parse_cc(d.pop("cc", UNSET))


        def _parse_bcc(data: object) -> Union[None, Unset, list[str]]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                bcc_type_0 = cast(list[str], data)

                return bcc_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, Unset, list[str]], data)

        bcc = _parse_bcc(d.pop("bcc", UNSET))


        def _parse_image(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        image = _parse_image(d.pop("image", UNSET))


        def _parse_data(data: object) -> Union['TemplatePutBodyDataType0', None, Unset]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                data_type_0 = TemplatePutBodyDataType0.from_dict(data)



                return data_type_0
            except: # noqa: E722
                pass
            return cast(Union['TemplatePutBodyDataType0', None, Unset], data)

        data = _parse_data(d.pop("data", UNSET))


        def _parse_collapse_key(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        collapse_key = _parse_collapse_key(d.pop("collapseKey", UNSET))


        def _parse_sample_variables(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        sample_variables = _parse_sample_variables(d.pop("sampleVariables", UNSET))


        template_put_body = cls(
            content=content,
            locale=locale,
            subject=subject,
            format_=format_,
            title=title,
            url=url,
            actions=actions,
            based_on_version=based_on_version,
            source_version=source_version,
            active=active,
            sensitive=sensitive,
            at_most_once=at_most_once,
            plain_characters=plain_characters,
            expires_after_seconds=expires_after_seconds,
            digest=digest,
            throttle=throttle,
            after_unread_seconds=after_unread_seconds,
            target_channel=target_channel,
            required_variables=required_variables,
            from_name=from_name,
            reply_to=reply_to,
            cc=cc,
            bcc=bcc,
            image=image,
            data=data,
            collapse_key=collapse_key,
            sample_variables=sample_variables,
        )


        template_put_body.additional_properties = d
        return template_put_body

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
