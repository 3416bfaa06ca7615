from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.template_test_body_format import check_template_test_body_format
from ..models.template_test_body_format import TemplateTestBodyFormat
from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union

if TYPE_CHECKING:
  from ..models.template_test_body_actions_item import TemplateTestBodyActionsItem
  from ..models.template_test_body_digest_type_0 import TemplateTestBodyDigestType0
  from ..models.template_test_body_variables import TemplateTestBodyVariables





T = TypeVar("T", bound="TemplateTestBody")



@_attrs_define
class TemplateTestBody:
    """ 
        Attributes:
            to (str): an email address, a number such as +12025550123, a chat address such as slack:C024BE91L, or (PUSH,
                DEVICE) a user's id
            locale (Union[Unset, str]): a language of it, as de or de-AT; default: the variant without one
            subject (Union[Unset, str]): of EMAIL; may hold {{variables}}
            format_ (Union[Unset, TemplateTestBodyFormat]): of EMAIL; default: as it is, and of a new one found out (never
                markdown)
            title (Union[Unset, str]): of PUSH or DEVICE; may hold {{variables}}
            url (Union[Unset, str]): what PUSH, DEVICE or CHAT opens: https or, in a page, a path; may hold {{variables}}
            actions (Union[Unset, list['TemplateTestBodyActionsItem']]): buttons of PUSH; up to two
            content (Union[Unset, str]): Markdown, MJML, HTML or text with {{variables}}
            plain_characters (Union[Unset, bool]): of SMS: curly quotes, dashes and the like are sent as plain ones
            digest (Union['TemplateTestBodyDigestType0', None, Unset]): combines several events into one message; null: each
                event is sent alone
            target_channel (Union[None, Unset, str]): realtime channel of PUSH; default: the personal one
            variables (Union[Unset, TemplateTestBodyVariables]): values for its tags; default: none. In $items those of a
                digest's events
     """

    to: str
    locale: Union[Unset, str] = UNSET
    subject: Union[Unset, str] = UNSET
    format_: Union[Unset, TemplateTestBodyFormat] = UNSET
    title: Union[Unset, str] = UNSET
    url: Union[Unset, str] = UNSET
    actions: Union[Unset, list['TemplateTestBodyActionsItem']] = UNSET
    content: Union[Unset, str] = UNSET
    plain_characters: Union[Unset, bool] = UNSET
    digest: Union['TemplateTestBodyDigestType0', None, Unset] = UNSET
    target_channel: Union[None, Unset, str] = UNSET
    variables: Union[Unset, 'TemplateTestBodyVariables'] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.template_test_body_actions_item import TemplateTestBodyActionsItem
        from ..models.template_test_body_digest_type_0 import TemplateTestBodyDigestType0
        from ..models.template_test_body_variables import TemplateTestBodyVariables
        to = self.to

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



        content = self.content

        plain_characters = self.plain_characters

        digest: Union[None, Unset, dict[str, Any]]
        if isinstance(self.digest, Unset):
            digest = UNSET
        elif isinstance(self.digest, TemplateTestBodyDigestType0):
            digest = self.digest.to_dict()
        else:
            digest = self.digest

        target_channel: Union[None, Unset, str]
        if isinstance(self.target_channel, Unset):
            target_channel = UNSET
        else:
            target_channel = self.target_channel

        variables: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.variables, Unset):
            variables = self.variables.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "to": to,
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
        if content is not UNSET:
            field_dict["content"] = content
        if plain_characters is not UNSET:
            field_dict["plainCharacters"] = plain_characters
        if digest is not UNSET:
            field_dict["digest"] = digest
        if target_channel is not UNSET:
            field_dict["targetChannel"] = target_channel
        if variables is not UNSET:
            field_dict["variables"] = variables

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.template_test_body_actions_item import TemplateTestBodyActionsItem
        from ..models.template_test_body_digest_type_0 import TemplateTestBodyDigestType0
        from ..models.template_test_body_variables import TemplateTestBodyVariables
        d = dict(src_dict)
        to = d.pop("to")

        locale = d.pop("locale", UNSET)

        subject = d.pop("subject", UNSET)

        _format_ = d.pop("format", UNSET)
        format_: Union[Unset, TemplateTestBodyFormat]
        if isinstance(_format_,  Unset):
            format_ = UNSET
        else:
            format_ = check_template_test_body_format(_format_)




        title = d.pop("title", UNSET)

        url = d.pop("url", UNSET)

        actions = []
        _actions = d.pop("actions", UNSET)
        for actions_item_data in (_actions or []):
            actions_item = TemplateTestBodyActionsItem.from_dict(actions_item_data)



            actions.append(actions_item)


        content = d.pop("content", UNSET)

        plain_characters = d.pop("plainCharacters", UNSET)

        def _parse_digest(data: object) -> Union['TemplateTestBodyDigestType0', None, Unset]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                digest_type_0 = TemplateTestBodyDigestType0.from_dict(data)



                return digest_type_0
            except: # noqa: E722
                pass
            return cast(Union['TemplateTestBodyDigestType0', None, Unset], data)

        digest = _parse_digest(d.pop("digest", UNSET))


        def _parse_target_channel(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        target_channel = _parse_target_channel(d.pop("targetChannel", UNSET))


        _variables = d.pop("variables", UNSET)
        variables: Union[Unset, TemplateTestBodyVariables]
        if isinstance(_variables,  Unset):
            variables = UNSET
        else:
            variables = TemplateTestBodyVariables.from_dict(_variables)




        template_test_body = cls(
            to=to,
            locale=locale,
            subject=subject,
            format_=format_,
            title=title,
            url=url,
            actions=actions,
            content=content,
            plain_characters=plain_characters,
            digest=digest,
            target_channel=target_channel,
            variables=variables,
        )


        template_test_body.additional_properties = d
        return template_test_body

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
