from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
from typing import Union
import datetime






T = TypeVar("T", bound="BundleProgress")



@_attrs_define
class BundleProgress:
    """ 
        Attributes:
            plan (str): Identifies this plan: pass it on to apply exactly this plan
            added (list[str]): Paths of what the tenant lacks
            changed (list[str]):
            same (list[str]):
            outdated (list[str]): Paths that the tenant has and the bundle lacks; they stay as they are
            faults (list[str]): Why it cannot be applied; set for a dry run and for work in the background
            applied (bool):
            requested_at (datetime.datetime): When the call came; ISO 8601, UTC
            started_at (Union[None, datetime.datetime]): When the work began; ISO 8601, UTC
            ended_at (Union[None, datetime.datetime]): When it ended; null: it is under way; ISO 8601, UTC
            id (Union[Unset, str]): of work in the background; `bundle progress` tells how far it is
            state (Union[Unset, str]): of work in the background
            total (Union[Unset, int]): templates that the background compiles
            compiled (Union[Unset, int]): how many of them are compiled
     """

    plan: str
    added: list[str]
    changed: list[str]
    same: list[str]
    outdated: list[str]
    faults: list[str]
    applied: bool
    requested_at: datetime.datetime
    started_at: Union[None, datetime.datetime]
    ended_at: Union[None, datetime.datetime]
    id: Union[Unset, str] = UNSET
    state: Union[Unset, str] = UNSET
    total: Union[Unset, int] = UNSET
    compiled: Union[Unset, int] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        plan = self.plan

        added = self.added



        changed = self.changed



        same = self.same



        outdated = self.outdated



        faults = self.faults



        applied = self.applied

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

        id = self.id

        state = self.state

        total = self.total

        compiled = self.compiled


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "plan": plan,
            "added": added,
            "changed": changed,
            "same": same,
            "outdated": outdated,
            "faults": faults,
            "applied": applied,
            "requestedAt": requested_at,
            "startedAt": started_at,
            "endedAt": ended_at,
        })
        if id is not UNSET:
            field_dict["id"] = id
        if state is not UNSET:
            field_dict["state"] = state
        if total is not UNSET:
            field_dict["total"] = total
        if compiled is not UNSET:
            field_dict["compiled"] = compiled

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        plan = d.pop("plan")

        added = cast(list[str], d.pop("added"))


        changed = cast(list[str], d.pop("changed"))


        same = cast(list[str], d.pop("same"))


        outdated = cast(list[str], d.pop("outdated"))


        faults = cast(list[str], d.pop("faults"))


        applied = d.pop("applied")

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


        id = d.pop("id", UNSET)

        state = d.pop("state", UNSET)

        total = d.pop("total", UNSET)

        compiled = d.pop("compiled", UNSET)

        bundle_progress = cls(
            plan=plan,
            added=added,
            changed=changed,
            same=same,
            outdated=outdated,
            faults=faults,
            applied=applied,
            requested_at=requested_at,
            started_at=started_at,
            ended_at=ended_at,
            id=id,
            state=state,
            total=total,
            compiled=compiled,
        )


        bundle_progress.additional_properties = d
        return bundle_progress

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
