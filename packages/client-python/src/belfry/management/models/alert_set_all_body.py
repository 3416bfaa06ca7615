from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.alert_set_all_body_alerts_item import AlertSetAllBodyAlertsItem
from ..models.alert_set_all_body_alerts_item import check_alert_set_all_body_alerts_item
from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union






T = TypeVar("T", bound="AlertSetAllBody")



@_attrs_define
class AlertSetAllBody:
    """ 
        Attributes:
            alerts (list[AlertSetAllBodyAlertsItem]): of which the person is told: provider-paused, failure-rate, dead-
                letters, cap-reached, endpoint-disabled
            chat (Union[None, Unset, str]): chat address that is told as well, as slack:#ops or pagerduty:ops; null: none;
                default: as it was
     """

    alerts: list[AlertSetAllBodyAlertsItem]
    chat: Union[None, Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        alerts = []
        for alerts_item_data in self.alerts:
            alerts_item: str = alerts_item_data
            alerts.append(alerts_item)



        chat: Union[None, Unset, str]
        if isinstance(self.chat, Unset):
            chat = UNSET
        else:
            chat = self.chat


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "alerts": alerts,
        })
        if chat is not UNSET:
            field_dict["chat"] = chat

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        alerts = []
        _alerts = d.pop("alerts")
        for alerts_item_data in (_alerts):
            alerts_item = check_alert_set_all_body_alerts_item(alerts_item_data)



            alerts.append(alerts_item)


        def _parse_chat(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        chat = _parse_chat(d.pop("chat", UNSET))


        alert_set_all_body = cls(
            alerts=alerts,
            chat=chat,
        )


        alert_set_all_body.additional_properties = d
        return alert_set_all_body

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
