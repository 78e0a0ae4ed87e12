import { z } from 'zod'

/** It has the last commands and notes; one that is larger is not stored. */
export const MAX_SESSION = 64 << 10

/** One request to a page of PHP that the helper writes, starts and ends. */
export const ToolRun = z.object({
  program: z.string(),
  page: z.string(),
  /** Folders that PHP may read, besides its own. */
  reads: z.array(z.string()),
  params: z.record(z.string(), z.string()),
  /** Base64. */
  content: z.string(),
  /** What PHP has stored of the session; empty at its start. */
  session: z.string(),
  most: z.number(),
})
export type ToolRun = z.infer<typeof ToolRun>

/** Base64 of the answer as CGI has it; null: none, or one that is too large. */
export const ToolRan = z.object({
  answer: z.string().nullable(),
  /** The page created the file `whole` in its folder: it came to its end. */
  is_whole: z.boolean(),
  session: z.string().max(MAX_SESSION),
})
export type ToolRan = z.infer<typeof ToolRan>
