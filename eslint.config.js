import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import rxjsX from 'eslint-plugin-rxjs-x';
import tseslint from 'typescript-eslint';

const clocks = ['setTimeout', 'setInterval', 'setImmediate'];
const throughScheduler = 'All waiting goes through RxJS and its schedulers, so that virtual time controls it.';

/** `no-exposed-subjects`, with the one exception of the transport contract: `outbound$` is a Subject for everyone. */
/** @type {any} */
const exposedSubjects = rxjsX.rules['no-exposed-subjects'];
/** @type {import('eslint').Rule.RuleModule} */
const noExposedSubjects = {
  meta: exposedSubjects.meta,
  create(context) {
    const report = (/** @type {any} */ descriptor) => {
      if (!context.sourceCode.getText(descriptor.node).includes('outbound$')) context.report(descriptor);
    };
    return exposedSubjects.create(Object.create(context, { report: { value: report } }));
  },
};

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', 'demos/angular/src/', 'demos/angular/dist/']),
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked, rxjsX.configs.strict],
    languageOptions: {
      parserOptions: { project: ['tsconfig.json', 'spec/tsconfig.json', 'demos/testing/tsconfig.json'], tsconfigRootDir: import.meta.dirname },
    },
    plugins: { ours: { rules: { 'no-exposed-subjects': noExposedSubjects } } },
    rules: {
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true, ignoreVoidOperator: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/only-throw-error': ['error', { allowRethrowing: true, allowThrowingUnknown: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/unified-signatures': 'off', // Overloads are documented one by one.
      '@typescript-eslint/prefer-promise-reject-errors': 'off', // A caller's abort reason is passed on as it is.
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'rxjs-x/no-exposed-subjects': 'off',
      'ours/no-exposed-subjects': 'error',
      'rxjs-x/no-ignored-default-value': 'off', // An empty stream is an error where we await one.
      'rxjs-x/no-ignored-error': 'off', // Our hot streams never error, and RxJS reports what nobody handles.
      'rxjs-x/throw-error': ['error', { allowThrowingAny: true, allowThrowingUnknown: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['lib/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-restricted-globals': ['error', ...clocks.map((name) => ({ name, message: throughScheduler }))],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: throughScheduler },
        ...clocks.map((property) => ({ object: 'globalThis', property, message: throughScheduler })),
      ],
      'no-restricted-imports': ['error', { paths: ['timers', 'timers/promises', 'node:timers', 'node:timers/promises'] }],
    },
  },
  {
    // Specs look at raw JSON, subscribe to see what happens, and fake what they need.
    files: ['spec/**/*.ts', 'demos/**/*.ts'],
    rules: {
      '@typescript-eslint/no-deprecated': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unused-expressions': 'off', // chai: `expect(…).to.be.true`
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'ours/no-exposed-subjects': 'off',
    },
  },
  {
    // Programs for Node; `npm run types` checks their JSDoc.
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { globals: nodeGlobals() },
    rules: { 'no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'none' }] },
  },
);

function nodeGlobals() {
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !/^(Object|Function|Array|undefined)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, 'readonly']));
}
