import { z } from 'zod'
import { Domain } from '#shared/kernel/fields.ts'
import { DatabaseUserName } from './database-user.ts'

/** The maximum size of one form that a browser sends to the tool. */
export const MAX_FORM_BYTES = 512 << 10
/** The maximum size of one page of the tool. */
export const MAX_PAGE_BYTES = 8 << 20

const QUERY_RULE = 'Must be a query of at most 8192 printable characters'
const TYPE_RULE = 'Must be the media type of a form'

/** The files that pages of Adminer load; they are the same for every user. */
const TOOL_FILES = [
  'default.css',
  'dark.css',
  'logo.png',
  'favicon.ico',
  'up.gif',
  'down.gif',
  'plus.gif',
  'cross.gif',
  'arrow.gif',
] as const
export const ToolFile = z.enum(TOOL_FILES, 'Must be the name of a file of Adminer')
export type ToolFile = z.infer<typeof ToolFile>

/** One request of a browser to Adminer. The password is of a temporary user, and nobody stores it. */
export const ToolRequest = z.object({
  domain: Domain,
  user: DatabaseUserName,
  password: z.string().regex(/^[\w-]{43}$/, 'Must be the password of the session'),
  method: z.enum(['GET', 'POST'], 'Must be GET or POST'),
  query: z.string(QUERY_RULE).regex(/^[!-~]{0,8192}$/, QUERY_RULE),
  type: z
    .string(TYPE_RULE)
    .regex(
      /^(|application\/x-www-form-urlencoded|multipart\/form-data; ?boundary=[\w'()+,./:=?-]{1,70})$/,
      TYPE_RULE,
    ),
  body: z
    .string('Must be base64')
    .max(Math.ceil(MAX_FORM_BYTES / 3) * 4, `Must have at most ${MAX_FORM_BYTES} bytes`)
    .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'Must be base64'),
})
export type ToolRequest = z.infer<typeof ToolRequest>

export const ToolFileRequest = z.object({ domain: Domain, file: ToolFile })
export type ToolFileRequest = z.infer<typeof ToolFileRequest>

const header = z.string().max(9000)

/** The first line of an answer, before its content. */
export const ToolHead = z.object({
  status: z.int().min(200).max(599),
  type: header,
  location: header.optional(),
  disposition: header.optional(),
})
export type ToolHead = z.infer<typeof ToolHead>
