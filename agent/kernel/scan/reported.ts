import { z } from 'zod'
import type { Reading } from './reading.ts'
import type { SiteTree } from './site-tree.ts'
import { extensionsIn, versionIn } from './wp-files.ts'

const text = z.string().max(4096)

/**
 * The report of a site's PHP: see `agent/kernel/sandbox/reading/program.ts`, which runs with the rights of the
 * site. Paths begin with `content` and `plugins`; heads of files are in Base64.
 */
const Reported = z.object({
  wordpress: z.boolean(),
  version: text.nullable(),
  constants: z.record(z.string().max(64), z.union([text, z.number(), z.boolean()])),
  table_prefix: text.nullable(),
  unsure: z.array(z.string().max(64)).max(64),
  lists: z.record(text, z.array(z.tuple([text, z.enum(['file', 'directory'])]))),
  heads: z.record(text, z.string().max(16_384)),
  exists: z.array(text).max(100_000),
  gaps: z.boolean(),
  environment: z.boolean(),
})
type Reported = z.infer<typeof Reported>

/** The same as `readSite` returns; throws for an invalid report. */
export function readReported(json: string): Reading {
  const facts = Reported.parse(JSON.parse(json))
  if (!facts.wordpress) return { framework: 'unknown', unsure: null }
  const tree = treeOf(facts)
  const found = extensionsIn({ tree, folder: 'content' }, { tree, folder: 'plugins' })
  const wp_version = versionIn(decoded(facts.version ?? '')) ?? ''
  const config = {
    constants: new Map(Object.entries(facts.constants)),
    table_prefix: facts.table_prefix ?? undefined,
    unsure: new Set(facts.unsure),
  }
  const files = { wp_version, ...found, gaps: found.gaps || facts.gaps }
  const gap = files.gaps ? 'folders' : null
  const settings = facts.environment ? 'environment' : 'config'
  return { framework: 'wordpress', config, files, unsure: facts.unsure.length > 0 ? settings : gap }
}

const decoded = (head: string) => Buffer.from(head, 'base64').toString('utf8')

function treeOf({ lists, heads, exists }: Reported): SiteTree {
  const kinds = new Map<string, 'file' | 'directory'>(exists.map((path) => [path, 'file']))
  for (const path of Object.keys(lists)) kinds.set(path, 'directory')
  for (const path of Object.keys(heads)) kinds.set(path, 'file')
  const listed = new Map(Object.entries(lists))
  const read = new Map(Object.entries(heads))
  return {
    where: () => undefined,
    list: (path) => listed.get(path)?.map(([name, kind]) => ({ name, kind })),
    head: (path) => {
      const head = read.get(path)
      return head === undefined ? undefined : decoded(head)
    },
    stat: (path) => {
      const kind = kinds.get(path)
      return kind && { kind, size: 0, mode: 0, uid: 0, gid: 0, mtime_ms: 0 }
    },
  }
}
