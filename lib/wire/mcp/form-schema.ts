/**
 * The schema of a form in `elicitation/create`: one level of simple fields.
 *
 * @module
 */

/** Fields that all form fields share. */
interface FieldBase {
  title?: string | undefined;
  description?: string | undefined;
}

/**
 * A text field.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, StringSchema
 * @public
 */
export interface StringSchema extends FieldBase {
  type: 'string';
  minLength?: number | undefined;
  maxLength?: number | undefined;
  format?: 'email' | 'uri' | 'date' | 'date-time' | undefined;
  /** @since 2025-11-25 */
  default?: string | undefined;
}

/**
 * A number field.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, NumberSchema
 * @public
 */
export interface NumberSchema extends FieldBase {
  type: 'number' | 'integer';
  minimum?: number | undefined;
  maximum?: number | undefined;
  /** @since 2025-11-25 */
  default?: number | undefined;
}

/**
 * A yes-or-no field.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, BooleanSchema
 * @public
 */
export interface BooleanSchema extends FieldBase {
  type: 'boolean';
  default?: boolean | undefined;
}

/**
 * A value to choose, with its label.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, TitledSingleSelectEnumSchema
 * @public
 */
export interface TitledEnumOption {
  const: string;
  title: string;
}

/**
 * A choice of one value, shown as it is.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, UntitledSingleSelectEnumSchema
 * @public
 */
export interface UntitledSingleSelectEnumSchema extends FieldBase {
  type: 'string';
  enum: string[];
  default?: string | undefined;
}

/**
 * A choice of one value, shown by its label.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, TitledSingleSelectEnumSchema
 * @public
 */
export interface TitledSingleSelectEnumSchema extends FieldBase {
  type: 'string';
  oneOf: TitledEnumOption[];
  default?: string | undefined;
}

/**
 * A choice of one value with labels in a separate list, the form of 2025-06-18.
 * Later revisions keep it for old servers.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, LegacyTitledEnumSchema
 * @public
 */
export interface LegacyTitledEnumSchema extends FieldBase {
  type: 'string';
  enum: string[];
  /** One label per value. */
  enumNames?: string[] | undefined;
  /** @since 2025-11-25 */
  default?: string | undefined;
}

/** Fields that both kinds of multiple choice share. */
interface MultiSelectBase extends FieldBase {
  type: 'array';
  minItems?: number | undefined;
  maxItems?: number | undefined;
  default?: string[] | undefined;
}

/**
 * A choice of several values, shown as they are.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, UntitledMultiSelectEnumSchema
 * @public
 */
export interface UntitledMultiSelectEnumSchema extends MultiSelectBase {
  items: { type: 'string'; enum: string[] };
}

/**
 * A choice of several values, shown by their labels.
 *
 * @since 2025-11-25
 * @see MCP 2026-07-28 schema, TitledMultiSelectEnumSchema
 * @public
 */
export interface TitledMultiSelectEnumSchema extends MultiSelectBase {
  items: { anyOf: TitledEnumOption[] };
}

/** @see MCP 2026-07-28 schema, SingleSelectEnumSchema @public */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

/** @see MCP 2026-07-28 schema, MultiSelectEnumSchema @public */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/** @see MCP 2026-07-28 schema, EnumSchema @public */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;

/**
 * One field of a form.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, PrimitiveSchemaDefinition
 * @public
 */
export type PrimitiveSchema = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/**
 * Schema of a form: one level of simple fields.
 *
 * @since 2025-06-18
 * @see MCP 2026-07-28 schema, ElicitRequestFormParams
 * @public
 */
export interface ElicitFormSchema {
  /** @since 2025-11-25 */
  $schema?: string | undefined;
  type: 'object';
  properties: Record<string, PrimitiveSchema>;
  required?: string[] | undefined;
}
