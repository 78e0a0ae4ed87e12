import { expect } from 'bun:test'
import { SITE } from '#tests/support/system/proof.ts'
import type { Change } from './stored-files.ts'

type Stored = { path: string; size: number }

const below =
  (name: string) =>
  ({ path }: Stored) =>
    path === name || path.startsWith(`${name}/`)
/** Packs with the content of files, not those with folders. */
export const isLarge = (file: Stored) => below('data')(file) && file.size > 3 * 2 ** 20

/** How the commands end. */
interface Ends {
  create: unknown
  restore: unknown
  prove: unknown
}

export interface State extends Ends {
  name: string
  /** The files that are damaged or removed, by the ID of a backup. */
  files(backup: string): (file: Stored) => boolean
  change: Change
}

const escaped = (text: string) => text.replace(/[()]/g, '\\$&')
/** With the words of restic behind it. */
export const failed = (message: string) => ({
  event: 'error',
  data: {
    error: 'Internal error',
    message: expect.stringMatching(new RegExp(`^${escaped(message)} \\(.+\\)$`)),
  },
})
const refused = (message: string) => ({ event: 'error', data: { error: 'Conflict', message } })
const saved = { event: 'complete', data: expect.objectContaining({ domain: SITE.domain }) }
const finding = (message: string) => ({
  event: 'complete',
  data: expect.objectContaining({
    proof: expect.objectContaining({ proven: false, findings: [{ code: 'damaged', message }] }),
  }),
})

const REPAIR = failed(
  'The repository is damaged: check the disk of the storage, then repair the repository as the documentation of the keeper says (Damaged data)',
)
const ABSENT = failed(
  'The target has no repository of this site: check that its storage is mounted and complete',
)
const DATA = finding('restic cannot read all data of the backup')
const CONFIG = finding('restic cannot open the repository: its configuration or key is damaged')
const LOST = refused(
  `The repository ${SITE.user} has no file config, without which no backup in it can be read: put that file back from a copy of the storage, or remove the folder ${SITE.user} if it has no backups`,
)
const UNREADABLE = { restore: REPAIR, prove: DATA }

export const STATES: readonly State[] = [
  {
    name: 'all packs',
    files: () => below('data'),
    change: 'damage',
    create: REPAIR,
    ...UNREADABLE,
  },
  {
    name: 'all packs',
    files: () => below('data'),
    change: 'removal',
    create: REPAIR,
    ...UNREADABLE,
  },
  // restic reads no content of earlier files while it saves: only a proof finds out.
  {
    name: 'the packs of files',
    files: () => isLarge,
    change: 'damage',
    create: saved,
    ...UNREADABLE,
  },
  {
    name: 'the index',
    files: () => below('index'),
    change: 'damage',
    create: REPAIR,
    ...UNREADABLE,
  },
  {
    name: 'the index',
    files: () => below('index'),
    change: 'removal',
    create: REPAIR,
    ...UNREADABLE,
  },
  {
    ...{ name: 'the snapshot', files: (backup) => below(`snapshots/${backup}`), change: 'damage' },
    ...{ create: REPAIR, ...UNREADABLE },
  },
  {
    ...{ name: 'the configuration', files: () => below('config'), change: 'damage' },
    ...{ create: REPAIR, restore: REPAIR, prove: CONFIG },
  },
  {
    ...{ name: 'the configuration', files: () => below('config'), change: 'removal' },
    ...{ create: LOST, restore: ABSENT, prove: ABSENT },
  },
]
