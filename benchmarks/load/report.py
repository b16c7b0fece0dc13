"""What a run of mixed load found, as lines for people and as a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.load.clients import Tally
from benchmarks.load.served import Sample

LEFT = 2  # threads and descriptors more than before that are no leak: one more connection to the library


def quantiles(seconds: Sequence[float]) -> str:
    """Return p50, p95, p99 and the greatest, in milliseconds."""
    if not seconds:
        return "nothing"
    ordered = sorted(seconds)
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 for share in (0.5, 0.95, 0.99)]
    return f"p50 {at[0]:.0f} ms, p95 {at[1]:.0f}, p99 {at[2]:.0f}, most {ordered[-1] * 1000:.0f}"


@dataclass
class Report:
    """Filled phase by phase."""

    seconds: float = 0.0
    load: Tally = field(default_factory=Tally)
    crowd: Tally = field(default_factory=Tally)
    crowd_seconds: float = 0.0
    recovery_s: float = 0.0
    beside_slow: Tally = field(default_factory=Tally)
    slow_closed_s: float = 0.0
    idle_closed_s: float = 0.0
    warm: Sample | None = None  # after the first requests
    growth: list[Sample] = field(default_factory=list)  # through the mixed load
    rest: Sample | None = None  # at the end, at rest
    idle_share: float = 0.0  # of one processor, at rest
    rounds: int = 0
    failed_syncs: list[str] = field(default_factory=list)
    exit_status: int = 0

    @property
    def faults(self) -> int:
        """Return how many answers were faults of the server, in all phases, and connections that broke."""
        tallies = (self.load, self.crowd, self.beside_slow)
        return sum(tally.faults() + sum(tally.broken.values()) for tally in tallies) + len(self.failed_syncs)

    @property
    def left(self) -> tuple[int, int]:
        """Return how many descriptors and threads are left of the load."""
        if self.warm is None or self.rest is None:
            return 0, 0
        return self.rest.descriptors - self.warm.descriptors, self.rest.threads - self.warm.threads

    @property
    def sound(self) -> bool:
        """True where nothing broke and nothing was left."""
        return not self.faults and max(self.left) <= LEFT and not self.crowd.without_retry_after

    def lines(self) -> list[str]:
        """Return everything for people."""
        lines = [f"mixed load, {self.seconds:.0f} s"]
        lines += _routes(self.load, self.seconds)
        if self.load.first_byte_s:
            lines.append(f"  ask stream, first byte: {quantiles(self.load.first_byte_s)}")
        lines.append(f"  {self.rounds} rounds of edits synced, {len(self.failed_syncs)} failed {self.failed_syncs[:3]}")
        lines += _growth(self.growth)
        lines += [f"overload, {self.crowd_seconds:.0f} s", *_routes(self.crowd, self.crowd_seconds or 1.0)]
        lines.append(
            f"  refusals (429, 503) after {quantiles(self.crowd.refused_s)}; without Retry-After: {self.crowd.without_retry_after}"
        )
        lines.append(f"  answered as before {self.recovery_s:.1f} s after the crowd had gone")
        lines += ["beside slow and silent connections", *_routes(self.beside_slow, 1.0)]
        lines.append(
            f"  slow ones closed after {self.slow_closed_s:.0f} s, silent ones after {self.idle_closed_s:.0f} s"
        )
        if self.warm and self.rest:
            lines.append(
                f"descriptors {self.warm.descriptors} -> {self.rest.descriptors}, threads {self.warm.threads} -> {self.rest.threads}, "
                f"resident {self.warm.resident / 1e6:.0f} -> {self.rest.resident / 1e6:.0f} MB; idle {self.idle_share:.1%} of a processor"
            )
        lines.append(f"faults {self.faults}, exit {self.exit_status}: {'sound' if self.sound else 'NOT SOUND'}")
        return lines


def _routes(tally: Tally, seconds: float) -> list[str]:
    lines = []
    for route in sorted({route for route, _ in tally.statuses}):
        counts = {status: count for (name, status), count in sorted(tally.statuses.items()) if name == route}
        rate = sum(counts.values()) / seconds
        lines.append(f"  {route:<11} {rate:7.1f}/s  {quantiles(tally.seconds[route])}  {counts}")
    return lines + [f"  broken: {name} ({count})" for name, count in tally.broken.items()]


def _growth(samples: Sequence[Sample]) -> list[str]:
    if len(samples) < 4:
        return []
    at = [samples[int((len(samples) - 1) * share)] for share in (0.2, 0.4, 0.6, 0.8, 1.0)]
    sizes = ", ".join(f"{sample.resident / 1e6:.0f}" for sample in at)
    grown = at[-1].resident / at[0].resident - 1
    return [f"  resident at 20, 40, 60, 80, 100 % of the time: {sizes} MB ({grown:+.1%} since 20 %)"]
