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
  from ..models.channel_report_notification import ChannelReportNotification
  from ..models.delivery_report import DeliveryReport
  from ..models.digest_report import DigestReport





T = TypeVar("T", bound="ChannelReport")



@_attrs_define
class ChannelReport:
    """ 
        Attributes:
            status (str): `published` is a result of PUSH; the others are results of EMAIL, SMS, DEVICE and CHAT, or reasons
                why nothing was sent
            reason (Union[None, str]): Why it was skipped, failed or waits
            missing (list[str]): Variables that the template uses but the event does not have
            delivery (Union[Unset, DeliveryReport]):
            digest (Union[Unset, DigestReport]):
            notification (Union[Unset, ChannelReportNotification]):
     """

    status: str
    reason: Union[None, str]
    missing: list[str]
    delivery: Union[Unset, 'DeliveryReport'] = UNSET
    digest: Union[Unset, 'DigestReport'] = UNSET
    notification: Union[Unset, 'ChannelReportNotification'] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.channel_report_notification import ChannelReportNotification
        from ..models.delivery_report import DeliveryReport
        from ..models.digest_report import DigestReport
        status = self.status

        reason: Union[None, str]
        reason = self.reason

        missing = self.missing



        delivery: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.delivery, Unset):
            delivery = self.delivery.to_dict()

        digest: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.digest, Unset):
            digest = self.digest.to_dict()

        notification: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.notification, Unset):
            notification = self.notification.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "status": status,
            "reason": reason,
            "missing": missing,
        })
        if delivery is not UNSET:
            field_dict["delivery"] = delivery
        if digest is not UNSET:
            field_dict["digest"] = digest
        if notification is not UNSET:
            field_dict["notification"] = notification

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.channel_report_notification import ChannelReportNotification
        from ..models.delivery_report import DeliveryReport
        from ..models.digest_report import DigestReport
        d = dict(src_dict)
        status = d.pop("status")

        def _parse_reason(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        reason = _parse_reason(d.pop("reason"))


        missing = cast(list[str], d.pop("missing"))


        _delivery = d.pop("delivery", UNSET)
        delivery: Union[Unset, DeliveryReport]
        if isinstance(_delivery,  Unset):
            delivery = UNSET
        else:
            delivery = DeliveryReport.from_dict(_delivery)




        _digest = d.pop("digest", UNSET)
        digest: Union[Unset, DigestReport]
        if isinstance(_digest,  Unset):
            digest = UNSET
        else:
            digest = DigestReport.from_dict(_digest)




        _notification = d.pop("notification", UNSET)
        notification: Union[Unset, ChannelReportNotification]
        if isinstance(_notification,  Unset):
            notification = UNSET
        else:
            notification = ChannelReportNotification.from_dict(_notification)




        channel_report = cls(
            status=status,
            reason=reason,
            missing=missing,
            delivery=delivery,
            digest=digest,
            notification=notification,
        )


        channel_report.additional_properties = d
        return channel_report

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
