import { z } from 'zod'

const INVALID = 'must be an address, a host or a path'
/** ASCII that no escape changes, except its slashes and colons. */
const Address = z.string().regex(/^[\w.~:/@!$*+,=-]{1,1000}$/, INVALID)
/** Its host may be internationalised. */
const Former = z.string().regex(/^[\w\p{L}\p{M}\p{N}.~:/@!$*+,=-]{1,1000}$/u, INVALID)

const Rule = z
  .strictObject({ from: Former, to: Address })
  .refine(({ from }) => /[a-zA-Z0-9]{2}/.test(from), 'from must contain a name')

const Ignore = z.strictObject({
  table: z.string().max(200),
  column: z.string().max(64),
  values: z.array(z.string().max(200)).min(1).max(100),
})

/** A dump and its rules: the first line on the standard input of `hosting-agent rewrite`. */
export const RewriteRequest = z.strictObject({
  /** `https://old.example`, `//old.example`, `old.example`, each with a port or path, or `/a/path`. */
  rules: z.array(Rule).max(64),
  /** Only the sections of these tables pass, beside what stands before and after all sections. */
  tables: z.array(z.string().min(1).max(256)).max(10_000).optional(),
  /** Columns that are left alone, as `table.column` with `*` for any characters. */
  skip: z.array(z.string().max(200)).max(100).default(['*_posts.guid']),
  /** Whether a rule for a bare host also changes `name@old.example`. */
  emails: z.boolean().default(false),
  /** Whether the report has the SHA-256 of each table's rows, as they are read. */
  digest: z.boolean().default(false),
  /** Whether the report has a digest of each table's definition, too. */
  definitions: z.boolean().default(false),
  /** Rows that the digests leave out, by values of a column; `*` stands for any characters. */
  ignore: z.array(Ignore).max(100).default([]),
  /** False: the dump is read, and not written. */
  output: z.boolean().default(true),
  /** How many examples of each kind of remaining occurrence the report has. */
  examples: z.int().min(0).max(100).default(3),
  /** How many kinds of remaining occurrences the report has; the first ones. */
  kinds: z.int().min(0).max(100_000).default(10_000),
  /** Whether the report has the tables with their changed columns; digests are in it anyway. */
  changed: z.boolean().default(true),
  /** Longer values are passed through unchanged. */
  max_value_bytes: z
    .int()
    .min(1024)
    .max(2 ** 28)
    .default(2 ** 24),
  /** The dump was written for SQL mode NO_BACKSLASH_ESCAPES. */
  no_backslash_escapes: z.boolean().default(false),
})
export type RewriteRequest = z.infer<typeof RewriteRequest>
