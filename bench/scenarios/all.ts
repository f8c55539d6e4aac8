import type { Scenario } from '../scenario.ts';
import { httpScenarios } from './http.ts';
import { loadingScenarios } from './loading.ts';
import { startScenarios } from './start.ts';
import { stdioScenarios } from './stdio.ts';

export const scenarios: readonly Scenario[] = [...stdioScenarios, ...httpScenarios, ...startScenarios, ...loadingScenarios];
