import { Validator } from '@cfworker/json-schema';
import { load } from 'js-yaml';
import { yamlModule } from '../client/skills/skill-file.js';
import { jsonSchemaModule } from '../client/with-output-validation.js';

/** What is otherwise imported on demand is there at once: under virtual time no import ever ends. */
export function provideLazyModules(): void {
  jsonSchemaModule.provide({ Validator });
  yamlModule.provide({ load });
}
