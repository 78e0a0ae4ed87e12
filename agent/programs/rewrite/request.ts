import { z } from 'zod'

const INVALID = 'must be an address, a host or a path'
/** Matches ASCII that no escape changes, except its slashes and colons. */
const Address = z.string().regex(/^[\w.~:/@!$*+,=-]{1,1000}$/, INVALID)
/** Matches an address whose host may be internationalised. */
const FormerAddress = z.string().regex(/^[\w\p{L}\p{M}\p{N}.~:/@!$*+,=-]{1,1000}$/u, INVALID)

const RewriteRule = z
  .strictObject({ from: FormerAddress, to: Address })
  .refine(({ from }) => /[a-zA-Z0-9]{2}/.test(from), 'from must contain a name')

const IgnoreRows = z.strictObject({
  table: z.string().max(200),
  column: z.string().max(64),
  values: z.array(z.string().max(200)).min(1).max(100),
})

/** The request on the first line of the input of `hosting-agent rewrite`, before the dump. */
export const RewriteRequest = z.strictObject({
  /** The replaced addresses: `https://old.example`, `//old.example:8080/a`, `/a/path`. */
  rules: z.array(RewriteRule).max(64),
  /** The tables whose sections pass, beside what stands before and after all sections. */
  tables: z.array(z.string().min(1).max(256)).max(10_000).optional(),
  /** The columns that stay unchanged, as `table.column` with `*` for any characters. */
  skip: z.array(z.string().max(200)).max(100).default(['*_posts.guid']),
  /** Whether a rule for a bare host also changes `name@old.example`. */
  emails: z.boolean().default(false),
  /** Whether the report has the SHA-256 of each table's rows, as they are read. */
  digest: z.boolean().default(false),
  /** Whether the report has a digest of each table's definition, too. */
  definitions: z.boolean().default(false),
  /** The rows that the digests leave out, by values of a column; `*` stands for any characters. */
  ignore: z.array(IgnoreRows).max(100).default([]),
  /** False when the dump is only read. */
  output: z.boolean().default(true),
  /** The maximum number of examples of each kind of remaining occurrence. */
  examples: z.int().min(0).max(100).default(3),
  /** The maximum number of kinds of remaining occurrences. */
  kinds: z.int().min(0).max(100_000).default(10_000),
  /** Whether the report has the tables with their changed columns; digests are in it anyway. */
  changed: z.boolean().default(true),
  /** The maximum size of a changed value; longer ones are passed through. */
  max_value_bytes: z
    .int()
    .min(1024)
    .max(2 ** 28)
    .default(2 ** 24),
  /** True for a dump that was written for SQL mode NO_BACKSLASH_ESCAPES. */
  no_backslash_escapes: z.boolean().default(false),
})
export type RewriteRequest = z.infer<typeof RewriteRequest>
