import { switchMap } from 'rxjs';
import { connect } from 'rxjs-mcp';

connect({ type: 'http', url: 'https://example.com/mcp' })
  .pipe(switchMap((client) => client.callTool('echo', { message: 'hello' })))
  .subscribe((result) => console.log(result));
