from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from typing import cast, Union

if TYPE_CHECKING:
  from ..models.tenant_defaults_quiet_hours_type_0 import TenantDefaultsQuietHoursType0





T = TypeVar("T", bound="TenantDefaults")



@_attrs_define
class TenantDefaults:
    """ 
        Attributes:
            default_locale (str): How the default variants of its templates write dates, numbers and money
            timezone (Union[None, str]): IANA name; null: UTC
            quiet_hours (Union['TenantDefaultsQuietHoursType0', None]): Of users without their own; null: none
     """

    default_locale: str
    timezone: Union[None, str]
    quiet_hours: Union['TenantDefaultsQuietHoursType0', None]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.tenant_defaults_quiet_hours_type_0 import TenantDefaultsQuietHoursType0
        default_locale = self.default_locale

        timezone: Union[None, str]
        timezone = self.timezone

        quiet_hours: Union[None, dict[str, Any]]
        if isinstance(self.quiet_hours, TenantDefaultsQuietHoursType0):
            quiet_hours = self.quiet_hours.to_dict()
        else:
            quiet_hours = self.quiet_hours


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "defaultLocale": default_locale,
            "timezone": timezone,
            "quietHours": quiet_hours,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tenant_defaults_quiet_hours_type_0 import TenantDefaultsQuietHoursType0
        d = dict(src_dict)
        default_locale = d.pop("defaultLocale")

        def _parse_timezone(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        timezone = _parse_timezone(d.pop("timezone"))


        def _parse_quiet_hours(data: object) -> Union['TenantDefaultsQuietHoursType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = TenantDefaultsQuietHoursType0.from_dict(data)



                return quiet_hours_type_0
            except: # noqa: E722
                pass
            return cast(Union['TenantDefaultsQuietHoursType0', None], data)

        quiet_hours = _parse_quiet_hours(d.pop("quietHours"))


        tenant_defaults = cls(
            default_locale=default_locale,
            timezone=timezone,
            quiet_hours=quiet_hours,
        )


        tenant_defaults.additional_properties = d
        return tenant_defaults

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
