from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime

if TYPE_CHECKING:
  from ..models.provider_settings import ProviderSettings





T = TypeVar("T", bound="Provider")



@_attrs_define
class Provider:
    """ 
        Attributes:
            id (str):
            tenant_id (str):
            channel (str):
            kind (str):
            name (str): Unique on the channel; the kind, unless it was named
            active (bool): Messages are sent through it
            position (int): Place in the order, from 0; the lowest active provider sends
            settings (ProviderSettings): Secrets are masked
            max_per_second (Union[None, int]): Calls, over all replicas; null: no limit of ours
            tested_at (Union[None, datetime.datetime]): When the vendor accepted the newest test with these settings; ISO
                8601, UTC
            created_at (datetime.datetime): When it was added; ISO 8601, UTC
            updated_at (datetime.datetime): When it was changed; ISO 8601, UTC
     """

    id: str
    tenant_id: str
    channel: str
    kind: str
    name: str
    active: bool
    position: int
    settings: 'ProviderSettings'
    max_per_second: Union[None, int]
    tested_at: Union[None, datetime.datetime]
    created_at: datetime.datetime
    updated_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.provider_settings import ProviderSettings
        id = self.id

        tenant_id = self.tenant_id

        channel = self.channel

        kind = self.kind

        name = self.name

        active = self.active

        position = self.position

        settings = self.settings.to_dict()

        max_per_second: Union[None, int]
        max_per_second = self.max_per_second

        tested_at: Union[None, str]
        if isinstance(self.tested_at, datetime.datetime):
            tested_at = self.tested_at.isoformat()
        else:
            tested_at = self.tested_at

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "tenantId": tenant_id,
            "channel": channel,
            "kind": kind,
            "name": name,
            "active": active,
            "position": position,
            "settings": settings,
            "maxPerSecond": max_per_second,
            "testedAt": tested_at,
            "createdAt": created_at,
            "updatedAt": updated_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.provider_settings import ProviderSettings
        d = dict(src_dict)
        id = d.pop("id")

        tenant_id = d.pop("tenantId")

        channel = d.pop("channel")

        kind = d.pop("kind")

        name = d.pop("name")

        active = d.pop("active")

        position = d.pop("position")

        settings = ProviderSettings.from_dict(d.pop("settings"))




        def _parse_max_per_second(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        max_per_second = _parse_max_per_second(d.pop("maxPerSecond"))


        def _parse_tested_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tested_at_type_0 = isoparse(data)



                return tested_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        tested_at = _parse_tested_at(d.pop("testedAt"))


        created_at = isoparse(d.pop("createdAt"))




        updated_at = isoparse(d.pop("updatedAt"))




        provider = cls(
            id=id,
            tenant_id=tenant_id,
            channel=channel,
            kind=kind,
            name=name,
            active=active,
            position=position,
            settings=settings,
            max_per_second=max_per_second,
            tested_at=tested_at,
            created_at=created_at,
            updated_at=updated_at,
        )


        provider.additional_properties = d
        return provider

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
