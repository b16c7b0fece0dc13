"""What embedding and reranking share.

An endpoint that is asked (`endpoint`, `wire`), and a folder with an ONNX model (`folder`, `tokens`, `session`), fetched where a user asks for
it (`hub`).
"""
