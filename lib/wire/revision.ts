/** Revisions that open with `initialize`, newest first. */
export const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Revisions that carry version and capabilities in every request, newest first. */
export const MODERN_REVISIONS = ['2026-07-28'] as const;

/** A revision that opens with `initialize`. @public */
export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];

/** A revision without a handshake. @public */
export type ModernRevision = (typeof MODERN_REVISIONS)[number];

/** A protocol revision this package speaks. @public */
export type Revision = LegacyRevision | ModernRevision;

/** Every revision this package speaks, newest first. @public */
export const SUPPORTED_REVISIONS: readonly Revision[] = [...MODERN_REVISIONS, ...LEGACY_REVISIONS];

/** The newest revision of `ours` that `theirs` names too. */
export function newestCommon<R extends Revision>(ours: readonly R[], theirs: readonly unknown[]): R | undefined {
  return ours.find((revision) => theirs.includes(revision));
}
