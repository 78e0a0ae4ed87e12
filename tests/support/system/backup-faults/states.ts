import { expect } from 'bun:test'
import type { Host } from '#tests/support/lab/index.ts'
import { SITE } from '#tests/support/system/proof.ts'

const REPOSITORY = `/mnt/store/${SITE.user}`
const KEPT = '/srv/kept'
/** Packs with the content of files, not those with folders. */
export const LARGE = '$(find data -type f -size +3M)'
const CACHES = '/var/lib/hosting-agent/cache/restic'

/** How the commands end. */
interface Ends {
  create: unknown
  restore: unknown
  prove: unknown
}

export interface State extends Ends {
  name: string
  /** The files that are damaged or removed, by the ID of a backup. */
  files(backup: string): string
  change: 'damage' | 'removal'
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
  `The repository ${SITE.user} has lost its file config, without which no backup in it can be read: put that file back from a copy of the storage, or choose another target`,
)
const UNREADABLE = { restore: REPAIR, prove: DATA }

export const STATES: readonly State[] = [
  { name: 'all packs', files: () => 'data/*/*', change: 'damage', create: REPAIR, ...UNREADABLE },
  { name: 'all packs', files: () => 'data/*/*', change: 'removal', create: REPAIR, ...UNREADABLE },
  // restic reads no content of earlier files while it saves: only a proof finds out.
  {
    name: 'the packs of files',
    files: () => LARGE,
    change: 'damage',
    create: saved,
    ...UNREADABLE,
  },
  { name: 'the index', files: () => 'index/*', change: 'damage', create: REPAIR, ...UNREADABLE },
  { name: 'the index', files: () => 'index/*', change: 'removal', create: REPAIR, ...UNREADABLE },
  {
    ...{ name: 'the snapshot', files: (backup) => `snapshots/${backup}`, change: 'damage' },
    ...{ create: REPAIR, ...UNREADABLE },
  },
  {
    ...{ name: 'the configuration', files: () => 'config', change: 'damage' },
    ...{ create: REPAIR, restore: REPAIR, prove: CONFIG },
  },
  {
    ...{ name: 'the configuration', files: () => 'config', change: 'removal' },
    ...{ create: LOST, restore: ABSENT, prove: ABSENT },
  },
]

/** Damages or removes files of the repository; the returned function puts these files back. */
export async function spoil(host: Host, files: string, change: State['change']) {
  const spoiled =
    change === 'removal'
      ? 'rm "$file"'
      : 'chmod u+w "$file"; printf damaged | dd of="$file" bs=1 seek=60 conv=notrunc status=none'
  const script = `cd ${REPOSITORY}; rm -rf ${KEPT} ${CACHES}/*; mkdir ${KEPT}
    for file in ${files}; do cp -a --parents "$file" ${KEPT}; ${spoiled}; done`
  await host.must(['bash', '-ec', script])
  return () => host.must(['cp', '-a', '--remove-destination', `${KEPT}/.`, REPOSITORY])
}

/** Locks the repository as its owner does, until the returned function is called. */
export async function lockExclusively(host: Host, password: string) {
  const script = `export RESTIC_PASSWORD="$PASSWORD" RESTIC_CACHE_DIR=/tmp/cache
    /var/lib/hosting-agent/bin/restic -r ${REPOSITORY} check --read-data > /dev/null 2>&1 &
    for ((n = 0; n < 3000; n++)); do
      [ -z "$(ls ${REPOSITORY}/locks)" ] || { kill -STOP $!; echo $!; exit; }
      sleep 0.01
    done; exit 1`
  const pid = (await host.must(['bash', '-c', script], { env: { PASSWORD: password } })).trim()
  return () => host.must(['bash', '-ec', `kill -KILL ${pid}; rm ${REPOSITORY}/locks/*`])
}
