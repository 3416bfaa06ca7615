from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union

if TYPE_CHECKING:
  from ..models.user_request_attributes_type_0 import UserRequestAttributesType0
  from ..models.user_request_quiet_hours_type_0 import UserRequestQuietHoursType0





T = TypeVar("T", bound="UserRequest")



@_attrs_define
class UserRequest:
    """ The whole entry of the user: a field that is absent or null is deleted

        Attributes:
            email (Union[None, Unset, str]):
            phone (Union[None, Unset, str]): In E.164 form; used if a trigger has no recipientPhone
            chat (Union[None, Unset, str]): An address such as `slack:C024BE91L`; used if a trigger has no recipientChat
            locale (Union[None, Unset, str]): Language for triggers without a locale: language[-Script][-REGION]
            timezone (Union[None, Unset, str]): A name of the IANA time zone database; if absent, the tenant's zone
            attributes (Union['UserRequestAttributesType0', None, Unset]): Values that templates read as `user.NAME`; at
                most 4 KiB of JSON
            quiet_hours (Union['UserRequestQuietHoursType0', None, Unset]): Times in the user's time zone; if `to` is
                earlier than `from`, they end on the next day. If absent, the tenant's
     """

    email: Union[None, Unset, str] = UNSET
    phone: Union[None, Unset, str] = UNSET
    chat: Union[None, Unset, str] = UNSET
    locale: Union[None, Unset, str] = UNSET
    timezone: Union[None, Unset, str] = UNSET
    attributes: Union['UserRequestAttributesType0', None, Unset] = UNSET
    quiet_hours: Union['UserRequestQuietHoursType0', None, Unset] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.user_request_attributes_type_0 import UserRequestAttributesType0
        from ..models.user_request_quiet_hours_type_0 import UserRequestQuietHoursType0
        email: Union[None, Unset, str]
        if isinstance(self.email, Unset):
            email = UNSET
        else:
            email = self.email

        phone: Union[None, Unset, str]
        if isinstance(self.phone, Unset):
            phone = UNSET
        else:
            phone = self.phone

        chat: Union[None, Unset, str]
        if isinstance(self.chat, Unset):
            chat = UNSET
        else:
            chat = self.chat

        locale: Union[None, Unset, str]
        if isinstance(self.locale, Unset):
            locale = UNSET
        else:
            locale = self.locale

        timezone: Union[None, Unset, str]
        if isinstance(self.timezone, Unset):
            timezone = UNSET
        else:
            timezone = self.timezone

        attributes: Union[None, Unset, dict[str, Any]]
        if isinstance(self.attributes, Unset):
            attributes = UNSET
        elif isinstance(self.attributes, UserRequestAttributesType0):
            attributes = self.attributes.to_dict()
        else:
            attributes = self.attributes

        quiet_hours: Union[None, Unset, dict[str, Any]]
        if isinstance(self.quiet_hours, Unset):
            quiet_hours = UNSET
        elif isinstance(self.quiet_hours, UserRequestQuietHoursType0):
            quiet_hours = self.quiet_hours.to_dict()
        else:
            quiet_hours = self.quiet_hours


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if email is not UNSET:
            field_dict["email"] = email
        if phone is not UNSET:
            field_dict["phone"] = phone
        if chat is not UNSET:
            field_dict["chat"] = chat
        if locale is not UNSET:
            field_dict["locale"] = locale
        if timezone is not UNSET:
            field_dict["timezone"] = timezone
        if attributes is not UNSET:
            field_dict["attributes"] = attributes
        if quiet_hours is not UNSET:
            field_dict["quietHours"] = quiet_hours

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.user_request_attributes_type_0 import UserRequestAttributesType0
        from ..models.user_request_quiet_hours_type_0 import UserRequestQuietHoursType0
        d = dict(src_dict)
        def _parse_email(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        email = _parse_email(d.pop("email", UNSET))


        def _parse_phone(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        phone = _parse_phone(d.pop("phone", UNSET))


        def _parse_chat(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        chat = _parse_chat(d.pop("chat", UNSET))


        def _parse_locale(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        locale = _parse_locale(d.pop("locale", UNSET))


        def _parse_timezone(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        timezone = _parse_timezone(d.pop("timezone", UNSET))


        def _parse_attributes(data: object) -> Union['UserRequestAttributesType0', None, Unset]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                attributes_type_0 = UserRequestAttributesType0.from_dict(data)



                return attributes_type_0
            except: # noqa: E722
                pass
            return cast(Union['UserRequestAttributesType0', None, Unset], data)

        attributes = _parse_attributes(d.pop("attributes", UNSET))


        def _parse_quiet_hours(data: object) -> Union['UserRequestQuietHoursType0', None, Unset]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = UserRequestQuietHoursType0.from_dict(data)



                return quiet_hours_type_0
            except: # noqa: E722
                pass
            return cast(Union['UserRequestQuietHoursType0', None, Unset], data)

        quiet_hours = _parse_quiet_hours(d.pop("quietHours", UNSET))


        user_request = cls(
            email=email,
            phone=phone,
            chat=chat,
            locale=locale,
            timezone=timezone,
            attributes=attributes,
            quiet_hours=quiet_hours,
        )


        user_request.additional_properties = d
        return user_request

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
