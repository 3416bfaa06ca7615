from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from typing import cast, Union

if TYPE_CHECKING:
  from ..models.user_response_data_attributes_type_0 import UserResponseDataAttributesType0
  from ..models.user_response_data_quiet_hours_type_0 import UserResponseDataQuietHoursType0





T = TypeVar("T", bound="UserResponseData")



@_attrs_define
class UserResponseData:
    """ 
        Attributes:
            user_id (str):
            email (Union[None, str]): An international domain in its ASCII form
            phone (Union[None, str]): E.164
            chat (Union[None, str]): The address in a chat
            locale (Union[None, str]): In canonical form, such as de-AT
            timezone (Union[None, str]): null means the tenant's
            attributes (Union['UserResponseDataAttributesType0', None]): null means none
            quiet_hours (Union['UserResponseDataQuietHoursType0', None]): null means the tenant's
            created_at (str): ISO 8601, UTC
            updated_at (str): ISO 8601, UTC
     """

    user_id: str
    email: Union[None, str]
    phone: Union[None, str]
    chat: Union[None, str]
    locale: Union[None, str]
    timezone: Union[None, str]
    attributes: Union['UserResponseDataAttributesType0', None]
    quiet_hours: Union['UserResponseDataQuietHoursType0', None]
    created_at: str
    updated_at: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.user_response_data_attributes_type_0 import UserResponseDataAttributesType0
        from ..models.user_response_data_quiet_hours_type_0 import UserResponseDataQuietHoursType0
        user_id = self.user_id

        email: Union[None, str]
        email = self.email

        phone: Union[None, str]
        phone = self.phone

        chat: Union[None, str]
        chat = self.chat

        locale: Union[None, str]
        locale = self.locale

        timezone: Union[None, str]
        timezone = self.timezone

        attributes: Union[None, dict[str, Any]]
        if isinstance(self.attributes, UserResponseDataAttributesType0):
            attributes = self.attributes.to_dict()
        else:
            attributes = self.attributes

        quiet_hours: Union[None, dict[str, Any]]
        if isinstance(self.quiet_hours, UserResponseDataQuietHoursType0):
            quiet_hours = self.quiet_hours.to_dict()
        else:
            quiet_hours = self.quiet_hours

        created_at = self.created_at

        updated_at = self.updated_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "userId": user_id,
            "email": email,
            "phone": phone,
            "chat": chat,
            "locale": locale,
            "timezone": timezone,
            "attributes": attributes,
            "quietHours": quiet_hours,
            "createdAt": created_at,
            "updatedAt": updated_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.user_response_data_attributes_type_0 import UserResponseDataAttributesType0
        from ..models.user_response_data_quiet_hours_type_0 import UserResponseDataQuietHoursType0
        d = dict(src_dict)
        user_id = d.pop("userId")

        def _parse_email(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        email = _parse_email(d.pop("email"))


        def _parse_phone(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        phone = _parse_phone(d.pop("phone"))


        def _parse_chat(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        chat = _parse_chat(d.pop("chat"))


        def _parse_locale(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        locale = _parse_locale(d.pop("locale"))


        def _parse_timezone(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        timezone = _parse_timezone(d.pop("timezone"))


        def _parse_attributes(data: object) -> Union['UserResponseDataAttributesType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                attributes_type_0 = UserResponseDataAttributesType0.from_dict(data)



                return attributes_type_0
            except: # noqa: E722
                pass
            return cast(Union['UserResponseDataAttributesType0', None], data)

        attributes = _parse_attributes(d.pop("attributes"))


        def _parse_quiet_hours(data: object) -> Union['UserResponseDataQuietHoursType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = UserResponseDataQuietHoursType0.from_dict(data)



                return quiet_hours_type_0
            except: # noqa: E722
                pass
            return cast(Union['UserResponseDataQuietHoursType0', None], data)

        quiet_hours = _parse_quiet_hours(d.pop("quietHours"))


        created_at = d.pop("createdAt")

        updated_at = d.pop("updatedAt")

        user_response_data = cls(
            user_id=user_id,
            email=email,
            phone=phone,
            chat=chat,
            locale=locale,
            timezone=timezone,
            attributes=attributes,
            quiet_hours=quiet_hours,
            created_at=created_at,
            updated_at=updated_at,
        )


        user_response_data.additional_properties = d
        return user_response_data

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
