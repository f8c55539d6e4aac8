// What `npm run size` measures: the smallest useful program.
import { switchMap } from 'rxjs';
import { connect } from '../lib/index.ts';

connect({ type: 'http', url: 'https://example.com/mcp' })
  .pipe(switchMap((client) => client.callTool('echo', { message: 'hello' })))
  .subscribe((result) => console.log(result));
