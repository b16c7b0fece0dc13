"""Train the upper half in stages: `python training/train.py --stage N`, 1 to 7 in their order. Writes training/stage-N.pt; see README.md."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from check import HERE, groups
from network import FROZEN, Reader, Tokens
from torch import nn

BATCH, TOKENS = 16, 4096  # texts, and tokens with padding, of one step
RATE, HEADS_RATE = 2e-4, 2e-3
HELD_OUT = 0.06  # share of the passages that is only measured
OWN_WORDS = 4  # sentences of each passage that are claims
RIVALS = 0.4  # how often a question meets a passage of its group that does not answer it
ALIKE = 0.05  # how often it meets the passage of other groups that is most like it
ALIKE_AMONG = 60  # passages among which the most alike is looked for


@dataclass(frozen=True, slots=True)
class Text:
    """One question with a passage: its tokens, the spans of the sentences, and which of them are right (none: nothing there)."""

    asked: tuple[int, str]  # number of the group, and the question
    tokens: list[int]
    spans: list[tuple[int, int]]
    right: list[int]


@dataclass(frozen=True, slots=True)
class Stage:
    """Which letters of file names, with which share of their passages, how often."""

    shares: dict[str, float]
    epochs: int


STAGES = {
    1: Stage({"d": 1.0}, 2),
    2: Stage({"d": 0.35, "e": 1.0, "c": 1.0}, 1),
    3: Stage({"d": 0.2, "e": 0.3, "f": 1.0, "c": 0.5}, 1),
    4: Stage({"d": 0.1, "e": 0.2, "f": 0.4, "g": 1.0, "h": 1.0}, 1),
    5: Stage({"d": 0.05, "e": 0.1, "f": 0.2, "g": 0.25, "h": 0.25, "i": 1.0, "j": 1.0}, 1),
    6: Stage({"d": 0.05, "e": 0.1, "f": 0.15, "g": 0.3, "h": 0.3, "i": 0.3, "j": 0.5, "k": 1.0}, 1),
    7: Stage({"f": 0.08, "g": 0.12, "h": 0.12, "i": 0.15, "j": 0.2, "k": 0.2, "l": 1.0}, 1),
}


def load(letter: str) -> list[list[dict[str, Any]]]:
    """Return the passages of the files that begin with a letter, by groups."""
    return [group for file in sorted(HERE.glob(f"*/{letter}*.jsonl")) for group in groups(file)]


def pairs_of(text: str) -> set[str]:
    return {text[place : place + 2] for place in range(len(text) - 1)}


def texts(
    grouped: Sequence[Sequence[dict[str, Any]]], claims: bool, tokens: Tokens, rng: random.Random, plain: bool
) -> Iterator[Text]:
    """Yield each question with its passage, whole or cut (`plain`: always whole), and some with a passage that does not answer."""
    prefix = "claim: " if claims else "query: "
    crop, dropped, alike = (0.3, 0.1, 0.05) if claims else (0.5, 0.15, 0.3)
    data = [(number, len(group) > 1, passage) for number, group in enumerate(grouped) for passage in group]
    known = [pairs_of(each["title"] + "".join(each["sentences"])) for _, _, each in data]

    def made(
        number: int, asked: str, passage: dict[str, Any], kept: Sequence[int], right: Sequence[int], above: str
    ) -> Iterator[Text]:
        found, spans = tokens.pair(prefix, asked, above, [passage["sentences"][place] for place in kept])
        there = [kept.index(place) for place in right if place in kept and kept.index(place) < len(spans)]
        if spans and (there or not right):
            yield Text((number, asked), found, spans, there)

    for number, rivals, passage in data:
        count = len(passage["sentences"])
        # As they stand, sentences are claims that are stated: else the network learns that what is in the passage's own words is wrong.
        own = rng.sample(range(count), min(OWN_WORDS, count)) if claims and not plain else []
        stated = [{"q": passage["sentences"][place], "s": [place]} for place in own]
        for each in [*passage["questions"], *stated]:
            asked, right, kept = each["q"], each["s"], list(range(count))
            if rivals and not right and not plain and rng.random() > RIVALS:
                continue
            above = passage["title"] if plain or rivals or rng.random() < 0.8 else ""
            if not plain and rng.random() < crop and count > 4:
                size = rng.randint(2, count - 1)
                main = right[0] if right else rng.randrange(count)
                start = rng.randint(max(0, main - size + 1), min(main, count - size))
                kept = list(range(start, start + size))
            yield from made(number, asked, passage, kept, [place for place in right if place in kept], above)
            if plain:
                continue
            if right and rng.random() < dropped:
                kept = [place for place in range(count) if place not in right]
                yield from made(number, asked, passage, kept, [], above)
            if rng.random() < (ALIKE if rivals else alike):
                wanted = pairs_of(asked)
                some = rng.sample(range(len(data)), min(ALIKE_AMONG, len(data)))
                others = [place for place in some if data[place][0] != number]
                other = data[max(others, key=lambda place: len(wanted & known[place]) / len(known[place]) ** 0.3)][2]
                yield from made(
                    number, asked, other, list(range(len(other["sentences"]))), [], above and other["title"]
                )


def batches(data: Sequence[Text], rng: random.Random) -> list[list[Text]]:
    """Return texts of about the same length together, the batches in any order."""
    found: list[list[Text]] = []
    now: list[Text] = []
    for text in sorted(data, key=lambda text: len(text.tokens) + 30 * rng.random()):
        if now and (len(text.tokens) * (len(now) + 1) > TOKENS or len(now) == BATCH):
            found.append(now)
            now = []
        now.append(text)
    found.append(now)
    rng.shuffle(found)
    return found


def run(model: Reader, batch: Sequence[Text], pad: int) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Return what the network says of a batch."""
    longest = max(len(text.tokens) for text in batch)
    tokens = torch.full((len(batch), longest), pad)
    mask = torch.zeros(len(batch), longest, dtype=torch.bool)
    for at, text in enumerate(batch):
        tokens[at, : len(text.tokens)] = torch.tensor(text.tokens)
        mask[at, : len(text.tokens)] = True
    with torch.autocast("cpu", dtype=torch.bfloat16):
        worth, nothing = model(tokens, mask, [text.spans for text in batch])
    return worth, nothing


def loss(worth: Sequence[torch.Tensor], nothing: torch.Tensor, batch: Sequence[Text]) -> torch.Tensor:
    """Return the mean of -log P(any of the right ones), `nothing` being one of the choices."""
    total = torch.zeros(())
    for each, none, text in zip(worth, nothing, batch, strict=True):
        choices = torch.cat([none[None], each])
        right = [place + 1 for place in text.right] or [0]
        total = total + torch.logsumexp(choices, 0) - torch.logsumexp(choices[right], 0)
    return total / len(batch)


def train(model: Reader, epochs: Sequence[Sequence[Text]], pad: int, rng: random.Random) -> None:
    heads = [*model.mean.parameters(), *model.most.parameters(), *model.nothing.parameters()]
    body = [parameter for parameter in model.layers.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": RATE}, {"params": heads, "lr": HEADS_RATE}], weight_decay=0.01
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    steps = [batch for data in epochs for batch in batches(data, rng)]
    began, losses = time.monotonic(), []
    for step, batch in enumerate(steps, start=1):
        share = min(1.0, step / (len(steps) // 15 + 1)) * max(0.02, 1 - (step - 1) / len(steps))
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * share
        now = loss(*run(model, batch, pad), batch)
        optimiser.zero_grad()
        now.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_([*body, *heads], 1.0)
        optimiser.step()
        losses.append(now.item())
        if step % 100 == 0:
            print(
                f"{step}/{len(steps)} loss {sum(losses[-100:]) / 100:.3f} {time.monotonic() - began:.0f} s", flush=True
            )


@torch.no_grad()
def measure(model: Reader, data: Sequence[Text], pad: int) -> tuple[float, float]:
    """Return the share of questions whose best sentence, of all passages of its group, is right, and the area under the curve of best odds."""
    best: dict[tuple[int, str], tuple[float, bool]] = {}
    answered = {text.asked for text in data if text.right}
    for text in data:
        worth, nothing = run(model, [text], pad)
        found = (float(worth[0].max() - nothing[0]), int(worth[0].argmax()) in text.right)
        best[text.asked] = max(best.get(text.asked, found), found)
    right = [best[asked][1] for asked in answered]
    something = [best[asked][0] for asked in answered]
    none = [odds for asked, (odds, _) in best.items() if asked not in answered]
    area = sum(a > b for a in something for b in none) / max(1, len(something) * len(none))
    return sum(right) / max(1, len(right)), area


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stage", type=int, choices=sorted(STAGES), required=True)
    stage = parser.parse_args().stage
    torch.set_num_threads(2)
    torch.manual_seed(stage)
    rng, tokens, model = random.Random(stage), Tokens(), Reader()
    if stage > 1:
        model.load_state_dict(torch.load(HERE / f"stage-{stage - 1}.pt"), strict=False)
    training: list[list[Text]] = [[] for _ in range(STAGES[stage].epochs)]
    held: dict[str, list[Text]] = {"questions": [], "claims": []}
    for letter, share in STAGES[stage].shares.items():
        data, claims = load(letter), letter == "c"
        random.Random(letter).shuffle(data)
        out = int(HELD_OUT * len(data))
        held["claims" if claims else "questions"] += texts(data[:out], claims, tokens, rng, plain=True)
        chosen = data[out : out + int(share * (len(data) - out))]
        for epoch in training:
            epoch.extend(texts(chosen, claims, tokens, rng, plain=False))
    train(model, training, tokens.pieces.pad, rng)
    kept = {
        name: value
        for name, value in model.state_dict().items()
        if not name.startswith("first.") and not _is_frozen(name)
    }
    torch.save(kept, Path(HERE / f"stage-{stage}.pt"))
    for name, data_held in held.items():
        if data_held:
            print(name, "right first {:.3f}, area {:.3f}".format(*measure(model, data_held, tokens.pieces.pad)))


def _is_frozen(name: str) -> bool:
    return name.startswith("layers.") and int(name.split(".")[1]) < FROZEN


if __name__ == "__main__":
    main()
