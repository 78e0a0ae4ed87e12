import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { FoundSite } from '#shared/kernel/found-site.ts'

/** Not a file of the server. */
export const SETUP = 'layout.json'
const FOLDER = join(import.meta.dirname, '../../../system/existing/layouts')

const Content = z.strictObject({
  /** `folder`: empty. All of it belongs to `owner`. */
  is: z.enum(['wordpress', 'php', 'static', 'folder']),
  owner: z.string().default('www-data'),
  /** DB_NAME of its wp-config.php; null: the layout has its own file, or none. */
  database: z.string().nullable().default(null),
  /** Where wp-config.php is, if not in the folder. */
  config: z.string().optional(),
})
export type Content = z.infer<typeof Content>

const Site = FoundSite.omit({ domain: true, updates: true, tier: true })
  .partial()
  .extend({ domain: z.string(), names: z.array(z.string()).min(1) })
  .strict()
export type Expected = z.infer<typeof Site>

/** The setup of a layout, beside the files in its folder, and what is to be found in it. */
const Layout = z.strictObject({
  /** Layouts of one stage share the server; `alone` ones do not. */
  stage: z.enum(['nginx', 'apache', 'caddy', 'openlitespeed', 'files']).default('nginx'),
  alone: z.boolean().default(false),
  /** Programs to start, if other than that of the stage. */
  programs: z.array(z.array(z.string())).optional(),
  users: z.array(z.string()).default([]),
  /** Users with a pool of PHP 8.2 that listens at `/run/php/USER.sock`. */
  pools: z.array(z.string()).default([]),
  contents: z.record(z.string(), Content).default({}),
  /** Path of a link → its target; those below a content belong to its owner. */
  links: z.record(z.string(), z.string()).default({}),
  certificates: z
    .record(z.string(), z.enum(['letsencrypt', 'other', 'self-signed', 'broken']))
    .default({}),
  addresses: z.array(z.string()).default([]),
  /** The request of a visitor where a site's name cannot be requested. */
  visit: z.record(z.string(), z.string()).default({}),
  port: z.number().optional(),
  /** Its configuration does not let scripts in a sub folder run, or files in it be read. */
  unproven: z.array(z.string()).default([]),
  /** Differs from its expectation on purpose: the comparison must notice. */
  broken: z.string().optional(),
  sites: z.array(Site),
  /** Programs whose configuration the agent does not understand. */
  not_understood: z.array(z.string()).default([]),
})

export interface LayoutOnDisk extends z.infer<typeof Layout> {
  name: string
  folder: string
}

export function readLayouts(): LayoutOnDisk[] {
  const only = process.env.LAYOUT?.split(',')
  return readdirSync(FOLDER)
    .filter((name) => only === undefined || only.includes(name))
    .sort()
    .map((name) => {
      const folder = join(FOLDER, name)
      const layout = JSON.parse(readFileSync(join(folder, SETUP), 'utf8'))
      return { ...Layout.parse(layout), name, folder }
    })
}
