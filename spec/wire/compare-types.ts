// Where two types differ, as types: the compiler does the comparing.

/** Compiles only when nothing is in the type; the message of the compiler names what is. */
export const none = <T extends never>(): T[] => [];

type Fits<A, B> = [A] extends [B] ? true : false;

/** The declared fields, without index signatures. */
export type Known<T> = T extends object ? keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] } & string : never;

type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

/** The fields of either that are not in `B` as they are in `A`; a required field of `B` must be in `A`. */
type UnfitFields<A, B> = {
  [K in Known<A> | Known<B>]: K extends Known<B> ? (K extends keyof A ? (Fits<Pick<A, K>, Pick<B, K>> extends true ? never : K) : Fits<object, Pick<B, K>> extends true ? never : K) : never;
}[Known<A> | Known<B>];

/** Why an `A` may be no `B`: the names of fields, or `*` where it is no matter of one field. */
export type Unfit<A, B> = [A] extends [B] ? never : true extends IsUnion<A> | IsUnion<B> ? '*' : [UnfitFields<A, B>] extends [never] ? '*' : UnfitFields<A, B>;

/** Fields that `A` declares and `B` does not. */
export type Surplus<A, B> = true extends IsUnion<A> | IsUnion<B> ? never : Exclude<Known<A>, Known<B>>;

/** `Name.field` for each of the fields. */
export type Paths<N, F> = N extends string ? (F extends string ? `${N}.${F}` : never) : never;
