from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="Webhook")



@_attrs_define
class Webhook:
    """ 
        Attributes:
            id (str):
            url (str): The address that Belfry calls
            types (list[str]): An empty list means all types
            description (Union[None, str]):
            active (bool): false if no messages are sent to it
            disabled_at (Union[None, datetime.datetime]): Time since which it is not active; null if it is active; ISO 8601,
                UTC
            disabled_reason (Union[None, str]): Why Belfry disabled it; null if a person did
            failing_since (Union[None, datetime.datetime]): Time since which no message has arrived; null if the last
                attempt succeeded; ISO 8601, UTC
            paused_until (Union[None, datetime.datetime]): The endpoint is paused until this time and is then called once;
                null if it is not paused; ISO 8601, UTC
            created_at (datetime.datetime): When it was created; ISO 8601, UTC
            updated_at (datetime.datetime): When somebody last changed it; ISO 8601, UTC
     """

    id: str
    url: str
    types: list[str]
    description: Union[None, str]
    active: bool
    disabled_at: Union[None, datetime.datetime]
    disabled_reason: Union[None, str]
    failing_since: Union[None, datetime.datetime]
    paused_until: Union[None, datetime.datetime]
    created_at: datetime.datetime
    updated_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        url = self.url

        types = self.types



        description: Union[None, str]
        description = self.description

        active = self.active

        disabled_at: Union[None, str]
        if isinstance(self.disabled_at, datetime.datetime):
            disabled_at = self.disabled_at.isoformat()
        else:
            disabled_at = self.disabled_at

        disabled_reason: Union[None, str]
        disabled_reason = self.disabled_reason

        failing_since: Union[None, str]
        if isinstance(self.failing_since, datetime.datetime):
            failing_since = self.failing_since.isoformat()
        else:
            failing_since = self.failing_since

        paused_until: Union[None, str]
        if isinstance(self.paused_until, datetime.datetime):
            paused_until = self.paused_until.isoformat()
        else:
            paused_until = self.paused_until

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "url": url,
            "types": types,
            "description": description,
            "active": active,
            "disabledAt": disabled_at,
            "disabledReason": disabled_reason,
            "failingSince": failing_since,
            "pausedUntil": paused_until,
            "createdAt": created_at,
            "updatedAt": updated_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        url = d.pop("url")

        types = cast(list[str], d.pop("types"))


        def _parse_description(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        description = _parse_description(d.pop("description"))


        active = d.pop("active")

        def _parse_disabled_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                disabled_at_type_0 = isoparse(data)



                return disabled_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        disabled_at = _parse_disabled_at(d.pop("disabledAt"))


        def _parse_disabled_reason(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        disabled_reason = _parse_disabled_reason(d.pop("disabledReason"))


        def _parse_failing_since(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                failing_since_type_0 = isoparse(data)



                return failing_since_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        failing_since = _parse_failing_since(d.pop("failingSince"))


        def _parse_paused_until(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                paused_until_type_0 = isoparse(data)



                return paused_until_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        paused_until = _parse_paused_until(d.pop("pausedUntil"))


        created_at = isoparse(d.pop("createdAt"))




        updated_at = isoparse(d.pop("updatedAt"))




        webhook = cls(
            id=id,
            url=url,
            types=types,
            description=description,
            active=active,
            disabled_at=disabled_at,
            disabled_reason=disabled_reason,
            failing_since=failing_since,
            paused_until=paused_until,
            created_at=created_at,
            updated_at=updated_at,
        )


        webhook.additional_properties = d
        return webhook

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
