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
  from ..models.api_key import ApiKey
  from ..models.tenant_quiet_hours_type_0 import TenantQuietHoursType0





T = TypeVar("T", bound="Tenant")



@_attrs_define
class Tenant:
    """ 
        Attributes:
            id (str):
            name (str):
            active (bool):
            per_minute (int):
            daily_cap (Union[None, int]): null: no cap
            delivery_channels (list[str]): Empty: all channels
            dedup_includes_variables (bool):
            allow_executables (bool): Whether attachments may be programs
            browser_devices (bool): Whether pages may register their browser with a realtime token
            max_attachment_mib (int): MiB that all attachments of its events may take together
            webhook_secret (bool): Whether every trigger must be signed
            previous_webhook_secret_until (Union[None, datetime.datetime]): Until when the webhook secret before it is taken
                too; null: it is not; ISO 8601, UTC
            event_retention_days (Union[None, int]): Days to keep events and their deliveries; null: as the installation
            notification_retention_days (Union[None, int]): Days to keep the in-app history; null: as the installation
            default_locale (str): How the default variants of its templates write dates, numbers and money
            timezone (Union[None, str]): IANA name; null: UTC
            quiet_hours (Union['TenantQuietHoursType0', None]): Of users without their own; null: none
            link_schemes (list[str]): Schemes of deep links that its mails may contain, in lower case and without the colon
            api_keys (list['ApiKey']): The live ones, newest first
            created_at (datetime.datetime): When it was created; ISO 8601, UTC
            updated_at (datetime.datetime): When its settings last changed; ISO 8601, UTC
     """

    id: str
    name: str
    active: bool
    per_minute: int
    daily_cap: Union[None, int]
    delivery_channels: list[str]
    dedup_includes_variables: bool
    allow_executables: bool
    browser_devices: bool
    max_attachment_mib: int
    webhook_secret: bool
    previous_webhook_secret_until: Union[None, datetime.datetime]
    event_retention_days: Union[None, int]
    notification_retention_days: Union[None, int]
    default_locale: str
    timezone: Union[None, str]
    quiet_hours: Union['TenantQuietHoursType0', None]
    link_schemes: list[str]
    api_keys: list['ApiKey']
    created_at: datetime.datetime
    updated_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.api_key import ApiKey
        from ..models.tenant_quiet_hours_type_0 import TenantQuietHoursType0
        id = self.id

        name = self.name

        active = self.active

        per_minute = self.per_minute

        daily_cap: Union[None, int]
        daily_cap = self.daily_cap

        delivery_channels = self.delivery_channels



        dedup_includes_variables = self.dedup_includes_variables

        allow_executables = self.allow_executables

        browser_devices = self.browser_devices

        max_attachment_mib = self.max_attachment_mib

        webhook_secret = self.webhook_secret

        previous_webhook_secret_until: Union[None, str]
        if isinstance(self.previous_webhook_secret_until, datetime.datetime):
            previous_webhook_secret_until = self.previous_webhook_secret_until.isoformat()
        else:
            previous_webhook_secret_until = self.previous_webhook_secret_until

        event_retention_days: Union[None, int]
        event_retention_days = self.event_retention_days

        notification_retention_days: Union[None, int]
        notification_retention_days = self.notification_retention_days

        default_locale = self.default_locale

        timezone: Union[None, str]
        timezone = self.timezone

        quiet_hours: Union[None, dict[str, Any]]
        if isinstance(self.quiet_hours, TenantQuietHoursType0):
            quiet_hours = self.quiet_hours.to_dict()
        else:
            quiet_hours = self.quiet_hours

        link_schemes = self.link_schemes



        api_keys = []
        for api_keys_item_data in self.api_keys:
            api_keys_item = api_keys_item_data.to_dict()
            api_keys.append(api_keys_item)



        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "name": name,
            "active": active,
            "perMinute": per_minute,
            "dailyCap": daily_cap,
            "deliveryChannels": delivery_channels,
            "dedupIncludesVariables": dedup_includes_variables,
            "allowExecutables": allow_executables,
            "browserDevices": browser_devices,
            "maxAttachmentMib": max_attachment_mib,
            "webhookSecret": webhook_secret,
            "previousWebhookSecretUntil": previous_webhook_secret_until,
            "eventRetentionDays": event_retention_days,
            "notificationRetentionDays": notification_retention_days,
            "defaultLocale": default_locale,
            "timezone": timezone,
            "quietHours": quiet_hours,
            "linkSchemes": link_schemes,
            "apiKeys": api_keys,
            "createdAt": created_at,
            "updatedAt": updated_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.api_key import ApiKey
        from ..models.tenant_quiet_hours_type_0 import TenantQuietHoursType0
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        active = d.pop("active")

        per_minute = d.pop("perMinute")

        def _parse_daily_cap(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        daily_cap = _parse_daily_cap(d.pop("dailyCap"))


        delivery_channels = cast(list[str], d.pop("deliveryChannels"))


        dedup_includes_variables = d.pop("dedupIncludesVariables")

        allow_executables = d.pop("allowExecutables")

        browser_devices = d.pop("browserDevices")

        max_attachment_mib = d.pop("maxAttachmentMib")

        webhook_secret = d.pop("webhookSecret")

        def _parse_previous_webhook_secret_until(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                previous_webhook_secret_until_type_0 = isoparse(data)



                return previous_webhook_secret_until_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        previous_webhook_secret_until = _parse_previous_webhook_secret_until(d.pop("previousWebhookSecretUntil"))


        def _parse_event_retention_days(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        event_retention_days = _parse_event_retention_days(d.pop("eventRetentionDays"))


        def _parse_notification_retention_days(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        notification_retention_days = _parse_notification_retention_days(d.pop("notificationRetentionDays"))


        default_locale = d.pop("defaultLocale")

        def _parse_timezone(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        timezone = _parse_timezone(d.pop("timezone"))


        def _parse_quiet_hours(data: object) -> Union['TenantQuietHoursType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = TenantQuietHoursType0.from_dict(data)



                return quiet_hours_type_0
            except: # noqa: E722
                pass
            return cast(Union['TenantQuietHoursType0', None], data)

        quiet_hours = _parse_quiet_hours(d.pop("quietHours"))


        link_schemes = cast(list[str], d.pop("linkSchemes"))


        api_keys = []
        _api_keys = d.pop("apiKeys")
        for api_keys_item_data in (_api_keys):
            api_keys_item = ApiKey.from_dict(api_keys_item_data)



            api_keys.append(api_keys_item)


        created_at = isoparse(d.pop("createdAt"))




        updated_at = isoparse(d.pop("updatedAt"))




        tenant = cls(
            id=id,
            name=name,
            active=active,
            per_minute=per_minute,
            daily_cap=daily_cap,
            delivery_channels=delivery_channels,
            dedup_includes_variables=dedup_includes_variables,
            allow_executables=allow_executables,
            browser_devices=browser_devices,
            max_attachment_mib=max_attachment_mib,
            webhook_secret=webhook_secret,
            previous_webhook_secret_until=previous_webhook_secret_until,
            event_retention_days=event_retention_days,
            notification_retention_days=notification_retention_days,
            default_locale=default_locale,
            timezone=timezone,
            quiet_hours=quiet_hours,
            link_schemes=link_schemes,
            api_keys=api_keys,
            created_at=created_at,
            updated_at=updated_at,
        )


        tenant.additional_properties = d
        return tenant

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
