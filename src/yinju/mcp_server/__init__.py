"""The library as tools of an agent, by the Model Context Protocol: on stdio (`yinju mcp`) and over HTTP (`/mcp` of `yinju serve`)."""
