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
  from ..models.event_search_answer_data_events_item_deliveries_item import EventSearchAnswerDataEventsItemDeliveriesItem
  from ..models.event_search_answer_data_events_item_outcome_type_0 import EventSearchAnswerDataEventsItemOutcomeType0





T = TypeVar("T", bound="EventSearchAnswerDataEventsItem")



@_attrs_define
class EventSearchAnswerDataEventsItem:
    """ 
        Attributes:
            tenant_id (str):
            user_id (str):
            id (str): Belfry's id
            event_type (str):
            reference (Union[None, str]): The tenant's eventId
            accepted_at (datetime.datetime): When it was stored; ISO 8601, UTC
            dispatched_at (Union[None, datetime.datetime]): When it was dispatched; ISO 8601, UTC
            refused_at (Union[None, datetime.datetime]): When it was refused; ISO 8601, UTC
            outcome (Union['EventSearchAnswerDataEventsItemOutcomeType0', None]): Channels that dispatching left out, with
                the reasons
            deliveries (list['EventSearchAnswerDataEventsItemDeliveriesItem']):
            pushed (bool): It is in the inbox
            by (list[str]): Kinds of value that the text matched
     """

    tenant_id: str
    user_id: str
    id: str
    event_type: str
    reference: Union[None, str]
    accepted_at: datetime.datetime
    dispatched_at: Union[None, datetime.datetime]
    refused_at: Union[None, datetime.datetime]
    outcome: Union['EventSearchAnswerDataEventsItemOutcomeType0', None]
    deliveries: list['EventSearchAnswerDataEventsItemDeliveriesItem']
    pushed: bool
    by: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.event_search_answer_data_events_item_deliveries_item import EventSearchAnswerDataEventsItemDeliveriesItem
        from ..models.event_search_answer_data_events_item_outcome_type_0 import EventSearchAnswerDataEventsItemOutcomeType0
        tenant_id = self.tenant_id

        user_id = self.user_id

        id = self.id

        event_type = self.event_type

        reference: Union[None, str]
        reference = self.reference

        accepted_at = self.accepted_at.isoformat()

        dispatched_at: Union[None, str]
        if isinstance(self.dispatched_at, datetime.datetime):
            dispatched_at = self.dispatched_at.isoformat()
        else:
            dispatched_at = self.dispatched_at

        refused_at: Union[None, str]
        if isinstance(self.refused_at, datetime.datetime):
            refused_at = self.refused_at.isoformat()
        else:
            refused_at = self.refused_at

        outcome: Union[None, dict[str, Any]]
        if isinstance(self.outcome, EventSearchAnswerDataEventsItemOutcomeType0):
            outcome = self.outcome.to_dict()
        else:
            outcome = self.outcome

        deliveries = []
        for deliveries_item_data in self.deliveries:
            deliveries_item = deliveries_item_data.to_dict()
            deliveries.append(deliveries_item)



        pushed = self.pushed

        by = self.by




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "userId": user_id,
            "id": id,
            "eventType": event_type,
            "reference": reference,
            "acceptedAt": accepted_at,
            "dispatchedAt": dispatched_at,
            "refusedAt": refused_at,
            "outcome": outcome,
            "deliveries": deliveries,
            "pushed": pushed,
            "by": by,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.event_search_answer_data_events_item_deliveries_item import EventSearchAnswerDataEventsItemDeliveriesItem
        from ..models.event_search_answer_data_events_item_outcome_type_0 import EventSearchAnswerDataEventsItemOutcomeType0
        d = dict(src_dict)
        tenant_id = d.pop("tenantId")

        user_id = d.pop("userId")

        id = d.pop("id")

        event_type = d.pop("eventType")

        def _parse_reference(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        reference = _parse_reference(d.pop("reference"))


        accepted_at = isoparse(d.pop("acceptedAt"))




        def _parse_dispatched_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                dispatched_at_type_0 = isoparse(data)



                return dispatched_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        dispatched_at = _parse_dispatched_at(d.pop("dispatchedAt"))


        def _parse_refused_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                refused_at_type_0 = isoparse(data)



                return refused_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        refused_at = _parse_refused_at(d.pop("refusedAt"))


        def _parse_outcome(data: object) -> Union['EventSearchAnswerDataEventsItemOutcomeType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                outcome_type_0 = EventSearchAnswerDataEventsItemOutcomeType0.from_dict(data)



                return outcome_type_0
            except: # noqa: E722
                pass
            return cast(Union['EventSearchAnswerDataEventsItemOutcomeType0', None], data)

        outcome = _parse_outcome(d.pop("outcome"))


        deliveries = []
        _deliveries = d.pop("deliveries")
        for deliveries_item_data in (_deliveries):
            deliveries_item = EventSearchAnswerDataEventsItemDeliveriesItem.from_dict(deliveries_item_data)



            deliveries.append(deliveries_item)


        pushed = d.pop("pushed")

        by = cast(list[str], d.pop("by"))


        event_search_answer_data_events_item = cls(
            tenant_id=tenant_id,
            user_id=user_id,
            id=id,
            event_type=event_type,
            reference=reference,
            accepted_at=accepted_at,
            dispatched_at=dispatched_at,
            refused_at=refused_at,
            outcome=outcome,
            deliveries=deliveries,
            pushed=pushed,
            by=by,
        )


        event_search_answer_data_events_item.additional_properties = d
        return event_search_answer_data_events_item

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
