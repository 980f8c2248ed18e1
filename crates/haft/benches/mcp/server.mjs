// The tool `echo` served by the TypeScript SDK: `stdio`, or HTTP without sessions on a port that the system chooses.
import { createRequire } from "node:module";
import { createServer } from "node:http";

const require = createRequire(process.argv[3]);
const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");
const { StreamableHTTPServerTransport } = require("@modelcontextprotocol/sdk/server/streamableHttp.js");
const { z } = require("zod");

function echo() {
  const server = new McpServer({ name: "typescript", version: "1" });
  const about = { description: "Gives back the text.", inputSchema: { text: z.string() } };
  server.registerTool("echo", about, ({ text }) => ({ content: [{ type: "text", text }] }));
  return server;
}

if (process.argv[2] === "stdio") {
  await echo().connect(new StdioServerTransport());
} else {
  const http = createServer(async (request, response) => {
    const server = echo();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    response.on("close", () => {
      transport.close();
      server.close();
    });
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
