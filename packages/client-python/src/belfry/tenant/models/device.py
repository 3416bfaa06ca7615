from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="Device")



@_attrs_define
class Device:
    """ 
        Attributes:
            device_id (str):
            kind (str):
            name (Union[None, str]):
            registered_at (datetime.datetime): When it was last registered; ISO 8601, UTC
            ends_at (Union[None, datetime.datetime]): null: it stays; only browsers that registered themselves end
            seen_at (Union[None, datetime.datetime]): null: it has accepted none yet
     """

    device_id: str
    kind: str
    name: Union[None, str]
    registered_at: datetime.datetime
    ends_at: Union[None, datetime.datetime]
    seen_at: Union[None, datetime.datetime]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        device_id = self.device_id

        kind = self.kind

        name: Union[None, str]
        name = self.name

        registered_at = self.registered_at.isoformat()

        ends_at: Union[None, str]
        if isinstance(self.ends_at, datetime.datetime):
            ends_at = self.ends_at.isoformat()
        else:
            ends_at = self.ends_at

        seen_at: Union[None, str]
        if isinstance(self.seen_at, datetime.datetime):
            seen_at = self.seen_at.isoformat()
        else:
            seen_at = self.seen_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "deviceId": device_id,
            "kind": kind,
            "name": name,
            "registeredAt": registered_at,
            "endsAt": ends_at,
            "seenAt": seen_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        device_id = d.pop("deviceId")

        kind = d.pop("kind")

        def _parse_name(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        name = _parse_name(d.pop("name"))


        registered_at = isoparse(d.pop("registeredAt"))




        def _parse_ends_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ends_at_type_0 = isoparse(data)



                return ends_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        ends_at = _parse_ends_at(d.pop("endsAt"))


        def _parse_seen_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                seen_at_type_0 = isoparse(data)



                return seen_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        seen_at = _parse_seen_at(d.pop("seenAt"))


        device = cls(
            device_id=device_id,
            kind=kind,
            name=name,
            registered_at=registered_at,
            ends_at=ends_at,
            seen_at=seen_at,
        )


        device.additional_properties = d
        return device

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
