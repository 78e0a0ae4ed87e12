import { strictObject, z } from 'zod'
import { Count, Timestamp } from '#shared/kernel/api/parts.ts'
import { FOUND_TLS_MODES, FRAMEWORKS } from '#shared/kernel/values.ts'

const unknown = z
  .record(z.string(), z.string())
  .describe(
    'The values that its agent does not know, such as php or docroot, with a code of the reason.',
  )

export const UnnamedSiteView = strictObject({
  names: z
    .array(z.string())
    .describe(
      'As they are configured: patterns, addresses, single labels. `_` is any name that no other site has. At most 20.',
    ),
  closed: z.boolean().describe('Its web server refuses every visitor.'),
  docroot: z.string(),
  user: z.string(),
  php: z.string(),
  tls: z.enum(FOUND_TLS_MODES),
  framework: z.enum(FRAMEWORKS),
  wp_version: z.string(),
  unknown,
}).meta({
  id: 'UnnamedSite',
  description: 'A site without a domain. It is in no list of sites, and has no operations.',
})
export type UnnamedSiteView = z.infer<typeof UnnamedSiteView>

const WebProgramView = strictObject({
  program: z.string().describe('As the kernel names it; empty if unknown.'),
  ports: z.array(z.int()).describe('80, 443 or both.'),
  understood: z.boolean().describe('Whether its sites are found.'),
  reason: z.string().nullable().describe('A code if they are not.'),
}).meta({ id: 'WebProgram', description: 'A program that visitors reach on port 80 or 443.' })

export const ServerWeb = z.strictObject({
  programs: z.array(WebProgramView),
  unnamed: z.array(UnnamedSiteView).describe('At most 100.'),
  unnamed_total: Count.describe('The total number.'),
})
export type ServerWeb = z.infer<typeof ServerWeb>

export const ServerWebView = strictObject({
  at: Timestamp.nullable().describe('When its agent last reported something new; null: never.'),
  web: ServerWeb.nullable().describe('Null while nothing is known.'),
}).meta({
  id: 'ServerWeb',
  description:
    'The web servers of a server and its sites without a domain, as its agent reported them last.',
})
export type ServerWebView = z.infer<typeof ServerWebView>
