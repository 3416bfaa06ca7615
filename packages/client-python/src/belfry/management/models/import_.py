from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="Import")



@_attrs_define
class Import:
    """ 
        Attributes:
            id (str):
            kind (str):
            topic (Union[None, str]): Topic of an import of members
            state (str): `receiving` while parts of the file come, then `waiting` and `running`; of a tenant one runs at a
                time
            person (str): The person who began it
            parts (int): Parts that have arrived
            lines (int): Lines that have arrived, without the heading and empty ones
            processed (int): Lines that were processed: the sum of the three fields below
            added (int): Users that were created
            already_there (int): Users that existed, or that an earlier line named
            left_out (int): Bad lines; `faults` lists the first ones
            requested_at (datetime.datetime): When it was begun; ISO 8601, UTC
            started_at (Union[None, datetime.datetime]): When its first lines were written; ISO 8601, UTC
            ended_at (Union[None, datetime.datetime]): When it ended; null: it is open; ISO 8601, UTC
     """

    id: str
    kind: str
    topic: Union[None, str]
    state: str
    person: str
    parts: int
    lines: int
    processed: int
    added: int
    already_there: int
    left_out: int
    requested_at: datetime.datetime
    started_at: Union[None, datetime.datetime]
    ended_at: Union[None, datetime.datetime]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        kind = self.kind

        topic: Union[None, str]
        topic = self.topic

        state = self.state

        person = self.person

        parts = self.parts

        lines = self.lines

        processed = self.processed

        added = self.added

        already_there = self.already_there

        left_out = self.left_out

        requested_at = self.requested_at.isoformat()

        started_at: Union[None, str]
        if isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        ended_at: Union[None, str]
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "kind": kind,
            "topic": topic,
            "state": state,
            "person": person,
            "parts": parts,
            "lines": lines,
            "processed": processed,
            "added": added,
            "alreadyThere": already_there,
            "leftOut": left_out,
            "requestedAt": requested_at,
            "startedAt": started_at,
            "endedAt": ended_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        kind = d.pop("kind")

        def _parse_topic(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        topic = _parse_topic(d.pop("topic"))


        state = d.pop("state")

        person = d.pop("person")

        parts = d.pop("parts")

        lines = d.pop("lines")

        processed = d.pop("processed")

        added = d.pop("added")

        already_there = d.pop("alreadyThere")

        left_out = d.pop("leftOut")

        requested_at = isoparse(d.pop("requestedAt"))




        def _parse_started_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                started_at_type_0 = isoparse(data)



                return started_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        started_at = _parse_started_at(d.pop("startedAt"))


        def _parse_ended_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ended_at_type_0 = isoparse(data)



                return ended_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        ended_at = _parse_ended_at(d.pop("endedAt"))


        import_ = cls(
            id=id,
            kind=kind,
            topic=topic,
            state=state,
            person=person,
            parts=parts,
            lines=lines,
            processed=processed,
            added=added,
            already_there=already_there,
            left_out=left_out,
            requested_at=requested_at,
            started_at=started_at,
            ended_at=ended_at,
        )


        import_.additional_properties = d
        return import_

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
