"""The server: a web page, an HTTP API and MCP on one port. A thin door: parse, call one method of the library, render."""
