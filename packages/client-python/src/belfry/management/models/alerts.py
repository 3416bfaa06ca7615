from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from typing import cast, Union

if TYPE_CHECKING:
  from ..models.alerts_alerts_item import AlertsAlertsItem





T = TypeVar("T", bound="Alerts")



@_attrs_define
class Alerts:
    """ 
        Attributes:
            email (str):
            chat (Union[None, str]): The chat address that is told as well
            alerts (list['AlertsAlertsItem']):
     """

    email: str
    chat: Union[None, str]
    alerts: list['AlertsAlertsItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.alerts_alerts_item import AlertsAlertsItem
        email = self.email

        chat: Union[None, str]
        chat = self.chat

        alerts = []
        for alerts_item_data in self.alerts:
            alerts_item = alerts_item_data.to_dict()
            alerts.append(alerts_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "email": email,
            "chat": chat,
            "alerts": alerts,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.alerts_alerts_item import AlertsAlertsItem
        d = dict(src_dict)
        email = d.pop("email")

        def _parse_chat(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        chat = _parse_chat(d.pop("chat"))


        alerts = []
        _alerts = d.pop("alerts")
        for alerts_item_data in (_alerts):
            alerts_item = AlertsAlertsItem.from_dict(alerts_item_data)



            alerts.append(alerts_item)


        alerts = cls(
            email=email,
            chat=chat,
            alerts=alerts,
        )


        alerts.additional_properties = d
        return alerts

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
