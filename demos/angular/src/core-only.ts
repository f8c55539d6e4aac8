// Not part of the workbench: a page that uses the core door alone. A spec looks at what `ng build` makes of it.
import { connect } from 'rxjs-mcp';
import { switchMap } from 'rxjs';

connect({ type: 'http', url: `${location.origin}/mcp` })
  .pipe(switchMap((client) => client.callTool('echo', { message: 'hello' })))
  .subscribe((result) => console.log(result));
