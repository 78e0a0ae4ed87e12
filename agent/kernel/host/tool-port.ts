import { z } from 'zod'

/** The maximum size of a session with its last commands and notes; larger ones are not stored. */
export const MAX_SESSION = 64 << 10

/** One request to a page of PHP that the helper writes, starts and ends. */
export const ToolRunRequest = z.object({
  program: z.string(),
  page: z.string(),
  /** The folders that PHP may read, besides its own. */
  reads: z.array(z.string()),
  params: z.record(z.string(), z.string()),
  /** Base64. */
  content: z.string(),
  /** The stored session of PHP; empty at its start. */
  session: z.string(),
  most: z.number(),
})
export type ToolRunRequest = z.infer<typeof ToolRunRequest>

/** A CGI answer in base64; null without one, or for one that is too large. */
export const ToolRunResult = z.object({
  answer: z.string().nullable(),
  /** True when the page created the file `whole` in its folder at its end. */
  is_whole: z.boolean(),
  session: z.string().max(MAX_SESSION),
})
export type ToolRunResult = z.infer<typeof ToolRunResult>
