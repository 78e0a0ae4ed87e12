import type { Extension, Inventory } from '#shared/inventory.ts'
import type { BenchSite } from './site.ts'

interface Listed {
  name: string
  title: string
  status: string
  version: string
  update: string
  update_version: string | null
}

/** The four commands of a usual scan; the first one does not load WordPress. */
const SCAN: readonly (readonly string[])[] = [
  ['core', 'version'],
  list('plugin'),
  list('theme'),
  ['core', 'check-update', '--format=json', '--field=version'],
]

function list(kind: string): string[] {
  const fields = '--fields=name,title,status,version,update,update_version'
  return [kind, 'list', '--skip-update-check', '--format=json', fields]
}

/** wp-cli's output in the form of our answers, without must-use plugins and drop-ins. */
export async function wpCliInventory(wp: BenchSite['wp']): Promise<Inventory> {
  const [version = '', plugins = '', themes = '', core = ''] = await inTurn(wp)
  const updates = JSON.parse(core || '[]') as string[]
  const core_update = updates[0] ?? null
  const extensions = { plugins: ours(plugins), themes: ours(themes) }
  const count = (found: Extension[]) => found.filter(({ update }) => update !== null).length
  return {
    wp_version: version.trim(),
    ...extensions,
    core_update,
    updates: {
      plugins: count(extensions.plugins),
      themes: count(extensions.themes),
      core: core_update !== null,
    },
  }
}

async function inTurn(wp: BenchSite['wp']): Promise<string[]> {
  const outputs: string[] = []
  for (const args of SCAN) outputs.push(await wp(...args))
  return outputs
}

function ours(json: string): Extension[] {
  return (JSON.parse(json) as Listed[])
    .filter(({ status }) => status !== 'must-use' && status !== 'dropin')
    .map(({ name, title, status, version, update, update_version }) => ({
      slug: name,
      name: title,
      version,
      active: status !== 'inactive',
      update: update === 'available' ? update_version : null,
    }))
    .sort((one, other) => (one.slug < other.slug ? -1 : 1))
}
