import type { Import } from './imports.ts'

/**
 * The rooms of the agent and of the dashboard: `kernel`, `programs`, `web`, and each folder of
 * `features`. A room imports those before it; files beside the rooms put them together.
 */
export const ROOMS = {
  agent: [
    'kernel',
    'mail',
    'object-cache',
    'php',
    'existing',
    'web',
    'wordpress',
    'logs',
    'jobs',
    'metrics',
    'updates',
    'access',
    'backups',
    'domains',
    'database',
    'servers',
    'sites',
    'copies',
    'health',
    'moves',
    'isolation',
    'programs',
  ],
  dashboard: [
    'kernel',
    'settings',
    'backups',
    'access',
    'domains',
    'health',
    'sites',
    'copies',
    'moves',
    'logs',
    'mail',
    'metrics',
    'recovery',
    'object-cache',
    'web',
    'database',
    'isolation',
    'updates',
    'jobs',
    'wordpress',
    'servers',
    'overview',
    'alerts',
    'openapi',
  ],
} as const

type Floor = keyof typeof ROOMS

const isFloor = (name: string | undefined): name is Floor =>
  name === 'agent' || name === 'dashboard'

/** Returns the room of a file; undefined for a file that puts rooms together. */
function roomOf(path: string): string | undefined {
  const [, folder, feature, file] = path.split('/')
  if (folder === 'features') return file === undefined ? undefined : feature
  return feature === undefined ? undefined : folder
}

/** Returns a sentence for each import of a room that is not before the importing one. */
export function upwardImports(
  imports: readonly Import[],
  rooms: Readonly<Record<Floor, readonly string[]>>,
): string[] {
  return imports.flatMap(({ from, to }) => {
    const floor = from.split('/')[0]
    if (!isFloor(floor) || !to.startsWith(`${floor}/`)) return []
    const [own, other] = [roomOf(from), roomOf(to)]
    if (own === undefined || own === other || isAllowed(from, to)) return []
    if (other === undefined) return [`${from} imports ${to}, which puts the rooms together`]
    const before = rooms[floor].slice(0, Math.max(0, rooms[floor].indexOf(own)))
    return before.includes(other) ? [] : [`${from} imports ${to}: ${other} is not before ${own}`]
  })
}

/** The pages have rules of their own, and `hosting-agent uninstall` runs commands. */
const isAllowed = (from: string, to: string) =>
  from.startsWith('dashboard/web/') ||
  (from.startsWith('agent/programs/cli/') && to === 'agent/commands.ts')
