import { provideBrowserGlobalErrorListeners } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { withElicitation, withLogLevel, withWebSocket } from 'rxjs-mcp';
import { provideMcp, withMcpOptions } from 'rxjs-mcp/angular';
import { App } from './app/app';
import { servers } from './app/servers';

void bootstrapApplication(App, {
  providers: [
    provideBrowserGlobalErrorListeners(),
    provideMcp({ servers: servers() }, withMcpOptions({ client: { features: [withWebSocket(), withElicitation('stream'), withLogLevel('debug')] } })),
  ],
});
