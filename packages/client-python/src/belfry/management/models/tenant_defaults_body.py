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
  from ..models.tenant_defaults_body_quiet_hours_type_0 import TenantDefaultsBodyQuietHoursType0





T = TypeVar("T", bound="TenantDefaultsBody")



@_attrs_define
class TenantDefaultsBody:
    """ 
        Attributes:
            default_locale (Union[Unset, str]): how templates without a language write dates, numbers and money, as en or
                de-AT
            timezone (Union[None, Unset, str]): IANA name, as Europe/Berlin, for dates; none: UTC
            quiet_hours (Union['TenantDefaultsBodyQuietHoursType0', None, Unset]): as 22:00-06:00: of users without their
                own, by the clock of their zone
     """

    default_locale: Union[Unset, str] = UNSET
    timezone: Union[None, Unset, str] = UNSET
    quiet_hours: Union['TenantDefaultsBodyQuietHoursType0', None, Unset] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.tenant_defaults_body_quiet_hours_type_0 import TenantDefaultsBodyQuietHoursType0
        default_locale = self.default_locale

        timezone: Union[None, Unset, str]
        if isinstance(self.timezone, Unset):
            timezone = UNSET
        else:
            timezone = self.timezone

        quiet_hours: Union[None, Unset, dict[str, Any]]
        if isinstance(self.quiet_hours, Unset):
            quiet_hours = UNSET
        elif isinstance(self.quiet_hours, TenantDefaultsBodyQuietHoursType0):
            quiet_hours = self.quiet_hours.to_dict()
        else:
            quiet_hours = self.quiet_hours


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if default_locale is not UNSET:
            field_dict["defaultLocale"] = default_locale
        if timezone is not UNSET:
            field_dict["timezone"] = timezone
        if quiet_hours is not UNSET:
            field_dict["quietHours"] = quiet_hours

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tenant_defaults_body_quiet_hours_type_0 import TenantDefaultsBodyQuietHoursType0
        d = dict(src_dict)
        default_locale = d.pop("defaultLocale", UNSET)

        def _parse_timezone(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        timezone = _parse_timezone(d.pop("timezone", UNSET))


        def _parse_quiet_hours(data: object) -> Union['TenantDefaultsBodyQuietHoursType0', None, Unset]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = TenantDefaultsBodyQuietHoursType0.from_dict(data)



                return quiet_hours_type_0
            except: # noqa: E722
                pass
            return cast(Union['TenantDefaultsBodyQuietHoursType0', None, Unset], data)

        quiet_hours = _parse_quiet_hours(d.pop("quietHours", UNSET))


        tenant_defaults_body = cls(
            default_locale=default_locale,
            timezone=timezone,
            quiet_hours=quiet_hours,
        )


        tenant_defaults_body.additional_properties = d
        return tenant_defaults_body

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
