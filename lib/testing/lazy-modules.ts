import { Validator } from '@cfworker/json-schema';
import { load } from 'js-yaml';
import { yamlModule } from '../client/skills/skill-file.js';
import { jsonSchemaModule } from '../client/with-output-validation.js';

/**
 * Has what {@link withOutputValidation} and {@link withSkills} import on demand
 * there at once: under virtual time no import ever ends. Scripted servers and
 * replays do this by themselves; a `TestScheduler` over a transport of your own needs it.
 *
 * @public
 */
export function provideLazyModules(): void {
  jsonSchemaModule.provide({ Validator });
  yamlModule.provide({ load });
}
