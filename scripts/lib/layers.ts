import type { Import } from './imports.ts'

/** The dashboard's folders. Each may import those above it; files beside them may import all. */
export const DASHBOARD_LAYERS = [
  ...[
    'runtime',
    'db',
    'leases',
    'http',
    'activity',
    'auth',
    'targets',
    'agents',
    'trust',
    'backup',
  ],
  ...[
    'settings',
    'metrics',
    'numbers',
    'operations',
    'bulk',
    'mail',
    'restored',
    'site-backups',
    'site-settings',
    'off-site',
    'live',
    'health',
    'listing',
  ],
  ...[
    'servers',
    'domains',
    'dns',
    'access',
    'sites',
    'backup-first',
    'copies',
    'wp-login',
    'object-cache',
    'logs',
    'site-jobs',
    'site-database',
    'moves',
    'lost',
    'operation-types',
    'sync',
    'pulse',
    'visits',
    'overview',
    'alerts',
    'openapi',
    'web',
  ],
] as const

const LAYER = /^dashboard\/([^/]+)\//

/** A sentence for each import of a layer that is not above the importing one. */
export function brokenLayers(imports: readonly Import[], layers: readonly string[]): string[] {
  return imports.flatMap(({ from, to }) => {
    const own = LAYER.exec(from)?.[1]
    const other = LAYER.exec(to)?.[1]
    if (own === undefined || own === other || own === 'web') return []
    if (other === undefined)
      return to.startsWith('dashboard/') ? [`${from} imports the composition root ${to}`] : []
    const isAbove = layers.includes(own) && layers.slice(0, layers.indexOf(own)).includes(other)
    return isAbove ? [] : [`${from} imports ${to}, which is not in a layer above`]
  })
}
