"""A cached property without a lock."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

_Value = TypeVar("_Value")


class cached_property(Generic[_Value]):
    """A property that is computed once for each object, perhaps by several threads at once.

    In Python 3.11, `functools.cached_property` has one lock for all objects of a class. A process that is forked while
    another thread holds it never gets it.
    """

    def __init__(self, compute: Callable[[Any], _Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> _Value: ...
    def __get__(self, instance: object | None, owner: type) -> Self | _Value:
        if instance is None:
            return self
        # The object's own attribute is found first from now on.
        value: _Value = instance.__dict__.setdefault(self._name, self._compute(instance))
        return value
