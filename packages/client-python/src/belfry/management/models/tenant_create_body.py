from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.tenant_create_body_delivery_channels_item import check_tenant_create_body_delivery_channels_item
from ..models.tenant_create_body_delivery_channels_item import TenantCreateBodyDeliveryChannelsItem
from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union

if TYPE_CHECKING:
  from ..models.tenant_create_body_quiet_hours_type_0 import TenantCreateBodyQuietHoursType0





T = TypeVar("T", bound="TenantCreateBody")



@_attrs_define
class TenantCreateBody:
    """ 
        Attributes:
            name (str): its name, 1 to 255 characters
            key_name (Union[Unset, str]): what people call its API key
            per_minute (Union[Unset, int]): triggers admitted in any 60 s
            daily_cap (Union[None, Unset, int]): events accepted per UTC day
            delivery_channels (Union[Unset, list[TenantCreateBodyDeliveryChannelsItem]]): channels it may use, as
                EMAIL,CHAT; empty: all
            dedup_includes_variables (Union[Unset, bool]): variables count for the automatic dedup key; they do not by
                default
            allow_executables (Union[Unset, bool]): programs may be uploaded as attachments of its mails; they may not by
                default
            browser_devices (Union[Unset, bool]): pages may register their browser for device push with a realtime token;
                they may not by default
            max_attachment_mib (Union[Unset, int]): MiB that all attachments of its events may take together; default: 5120
            event_retention_days (Union[None, Unset, int]): keep events and their deliveries so many days, 1 to 3650;
                default: as the installation
            notification_retention_days (Union[None, Unset, int]): the same for the in-app history
            default_locale (Union[Unset, str]): how templates without a language write dates, numbers and money, as en or
                de-AT
            timezone (Union[None, Unset, str]): IANA name, as Europe/Berlin, for dates; none: UTC
            quiet_hours (Union['TenantCreateBodyQuietHoursType0', None, Unset]): as 22:00-06:00: of users without their own,
                by the clock of their zone
            link_schemes (Union[Unset, list[str]]): schemes of deep links that its mails may lead to, as myapp,shop
            webhook_secret (Union[Unset, str]): one line of text with which every trigger must be signed
     """

    name: str
    key_name: Union[Unset, str] = UNSET
    per_minute: Union[Unset, int] = UNSET
    daily_cap: Union[None, Unset, int] = UNSET
    delivery_channels: Union[Unset, list[TenantCreateBodyDeliveryChannelsItem]] = UNSET
    dedup_includes_variables: Union[Unset, bool] = UNSET
    allow_executables: Union[Unset, bool] = UNSET
    browser_devices: Union[Unset, bool] = UNSET
    max_attachment_mib: Union[Unset, int] = UNSET
    event_retention_days: Union[None, Unset, int] = UNSET
    notification_retention_days: Union[None, Unset, int] = UNSET
    default_locale: Union[Unset, str] = UNSET
    timezone: Union[None, Unset, str] = UNSET
    quiet_hours: Union['TenantCreateBodyQuietHoursType0', None, Unset] = UNSET
    link_schemes: Union[Unset, list[str]] = UNSET
    webhook_secret: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.tenant_create_body_quiet_hours_type_0 import TenantCreateBodyQuietHoursType0
        name = self.name

        key_name = self.key_name

        per_minute = self.per_minute

        daily_cap: Union[None, Unset, int]
        if isinstance(self.daily_cap, Unset):
            daily_cap = UNSET
        else:
            daily_cap = self.daily_cap

        delivery_channels: Union[Unset, list[str]] = UNSET
        if not isinstance(self.delivery_channels, Unset):
            delivery_channels = []
            for delivery_channels_item_data in self.delivery_channels:
                delivery_channels_item: str = delivery_channels_item_data
                delivery_channels.append(delivery_channels_item)



        dedup_includes_variables = self.dedup_includes_variables

        allow_executables = self.allow_executables

        browser_devices = self.browser_devices

        max_attachment_mib = self.max_attachment_mib

        event_retention_days: Union[None, Unset, int]
        if isinstance(self.event_retention_days, Unset):
            event_retention_days = UNSET
        else:
            event_retention_days = self.event_retention_days

        notification_retention_days: Union[None, Unset, int]
        if isinstance(self.notification_retention_days, Unset):
            notification_retention_days = UNSET
        else:
            notification_retention_days = self.notification_retention_days

        default_locale = self.default_locale

        timezone: Union[None, Unset, str]
        if isinstance(self.timezone, Unset):
            timezone = UNSET
        else:
            timezone = self.timezone

        quiet_hours: Union[None, Unset, dict[str, Any]]
        if isinstance(self.quiet_hours, Unset):
            quiet_hours = UNSET
        elif isinstance(self.quiet_hours, TenantCreateBodyQuietHoursType0):
            quiet_hours = self.quiet_hours.to_dict()
        else:
            quiet_hours = self.quiet_hours

        link_schemes: Union[Unset, list[str]] = UNSET
        if not isinstance(self.link_schemes, Unset):
            link_schemes = self.link_schemes



        webhook_secret = self.webhook_secret


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
        })
        if key_name is not UNSET:
            field_dict["keyName"] = key_name
        if per_minute is not UNSET:
            field_dict["perMinute"] = per_minute
        if daily_cap is not UNSET:
            field_dict["dailyCap"] = daily_cap
        if delivery_channels is not UNSET:
            field_dict["deliveryChannels"] = delivery_channels
        if dedup_includes_variables is not UNSET:
            field_dict["dedupIncludesVariables"] = dedup_includes_variables
        if allow_executables is not UNSET:
            field_dict["allowExecutables"] = allow_executables
        if browser_devices is not UNSET:
            field_dict["browserDevices"] = browser_devices
        if max_attachment_mib is not UNSET:
            field_dict["maxAttachmentMib"] = max_attachment_mib
        if event_retention_days is not UNSET:
            field_dict["eventRetentionDays"] = event_retention_days
        if notification_retention_days is not UNSET:
            field_dict["notificationRetentionDays"] = notification_retention_days
        if default_locale is not UNSET:
            field_dict["defaultLocale"] = default_locale
        if timezone is not UNSET:
            field_dict["timezone"] = timezone
        if quiet_hours is not UNSET:
            field_dict["quietHours"] = quiet_hours
        if link_schemes is not UNSET:
            field_dict["linkSchemes"] = link_schemes
        if webhook_secret is not UNSET:
            field_dict["webhookSecret"] = webhook_secret

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tenant_create_body_quiet_hours_type_0 import TenantCreateBodyQuietHoursType0
        d = dict(src_dict)
        name = d.pop("name")

        key_name = d.pop("keyName", UNSET)

        per_minute = d.pop("perMinute", UNSET)

        def _parse_daily_cap(data: object) -> Union[None, Unset, int]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, int], data)

        daily_cap = _parse_daily_cap(d.pop("dailyCap", UNSET))


        delivery_channels = []
        _delivery_channels = d.pop("deliveryChannels", UNSET)
        for delivery_channels_item_data in (_delivery_channels or []):
            delivery_channels_item = check_tenant_create_body_delivery_channels_item(delivery_channels_item_data)



            delivery_channels.append(delivery_channels_item)


        dedup_includes_variables = d.pop("dedupIncludesVariables", UNSET)

        allow_executables = d.pop("allowExecutables", UNSET)

        browser_devices = d.pop("browserDevices", UNSET)

        max_attachment_mib = d.pop("maxAttachmentMib", UNSET)

        def _parse_event_retention_days(data: object) -> Union[None, Unset, int]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, int], data)

        event_retention_days = _parse_event_retention_days(d.pop("eventRetentionDays", UNSET))


        def _parse_notification_retention_days(data: object) -> Union[None, Unset, int]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, int], data)

        notification_retention_days = _parse_notification_retention_days(d.pop("notificationRetentionDays", UNSET))


        default_locale = d.pop("defaultLocale", UNSET)

        def _parse_timezone(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        timezone = _parse_timezone(d.pop("timezone", UNSET))


        def _parse_quiet_hours(data: object) -> Union['TenantCreateBodyQuietHoursType0', None, Unset]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = TenantCreateBodyQuietHoursType0.from_dict(data)



                return quiet_hours_type_0
            except: # noqa: E722
                pass
            return cast(Union['TenantCreateBodyQuietHoursType0', None, Unset], data)

        quiet_hours = _parse_quiet_hours(d.pop("quietHours", UNSET))


        link_schemes = cast(list[str], d.pop("linkSchemes", UNSET))


        webhook_secret = d.pop("webhookSecret", UNSET)

        tenant_create_body = cls(
            name=name,
            key_name=key_name,
            per_minute=per_minute,
            daily_cap=daily_cap,
            delivery_channels=delivery_channels,
            dedup_includes_variables=dedup_includes_variables,
            allow_executables=allow_executables,
            browser_devices=browser_devices,
            max_attachment_mib=max_attachment_mib,
            event_retention_days=event_retention_days,
            notification_retention_days=notification_retention_days,
            default_locale=default_locale,
            timezone=timezone,
            quiet_hours=quiet_hours,
            link_schemes=link_schemes,
            webhook_secret=webhook_secret,
        )


        tenant_create_body.additional_properties = d
        return tenant_create_body

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
