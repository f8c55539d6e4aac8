/**
 * MCP servers in Angular applications: signals, resources and interceptors over `rxjs-mcp`.
 *
 * @packageDocumentation
 */
export { withMcpInterceptors, withMcpOptions, type McpConfig, type McpFeature, type McpInterceptorFn } from './angular/mcp-config.js';
export type { McpRef } from './angular/mcp-ref.js';
export { mcpResource, type McpResourceOptions } from './angular/mcp-resource.js';
export { mcpTool, type McpToolOptions, type McpToolRef } from './angular/mcp-tool.js';
export { injectMcp, provideMcp } from './angular/provide-mcp.js';
