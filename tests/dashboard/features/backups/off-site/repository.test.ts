// tier: gate
import { expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryWriting, withRestic } from '#dashboard/features/backups/off-site/repository.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'
import { Secret } from '#shared/kernel/secret.ts'

const CORRECT =
  'The clock of the machine of the dashboard and the storage do not agree on the time: correct the clock of the machine of the dashboard (timedatectl shows it)'
const TOO_LARGE = 'The difference between the request time and the current time is too large.'

const STORE = { kind: 'local' as const, path: '/mnt/store' }

const STANDS_STILL = 'exec sleep 30'

/** The failure of a restic that prints these words, and then ends, or stands still. */
async function failureOf(words: string, end = 'exit 1', place: BackupPlace = STORE) {
  // A shell may take a second to begin on a busy machine.
  const stall_ms = end === STANDS_STILL ? 2_000 : 30_000
  const folder = await mkdtemp(join(tmpdir(), 'restic-'))
  const program = join(folder, 'restic')
  await writeFile(program, `#!/bin/sh\necho '${words}' >&2\n${end}\n`, { mode: 0o755 })
  const target = { place, secret: new Secret('secret') }
  const password = new Secret('password')
  const start = async () => [program]
  const opened = { start, folder: join(folder, 'run'), target, password, stall_ms }
  const failure = await withRestic(opened, ({ must }) => must(['cat', 'config'])).catch(String)
  await rm(folder, { recursive: true })
  return failure
}

test.each(['exit 1', STANDS_STILL])(
  'says to correct the clock of the dashboard when a storage refuses its time (%s)',
  async (end) => {
    expect(await failureOf(TOO_LARGE, end)).toBe(`Error: ${CORRECT} (${TOO_LARGE})`)
  },
)

test('names the clock, too, where the storage refuses the dashboard without a reason', async () => {
  const words = 'Fatal: unable to open config file: Stat: Access Denied.'
  expect(await failureOf(words)).toBe(
    `Error: The storage refused the machine of the dashboard: check its credentials and permissions, and the clock of the machine of the dashboard (timedatectl shows it) (${words})`,
  )
})

test('has the words of restic of any other failure', async () => {
  expect(await failureOf('Fatal: wrong')).toBe('Error: restic cat: Fatal: wrong')
  expect(await failureOf('Fatal: wrong', STANDS_STILL)).toBe(
    'Error: restic made no progress for 2 seconds: check the storage, and the network between it and the dashboard (Fatal: wrong)',
  )
})

test('has the words of ssh, although restic ended before it passed them on', async () => {
  const place = {
    ...{ kind: 'sftp' as const, host: 'backup.example', port: 22, user: 'dashboard' },
    ...{ path: '/backups', host_key: 'ssh-ed25519 AAAA' },
  }
  const refused = 'dashboard@backup.example: Permission denied (publickey).'
  const log = `mkdir "$TMPDIR" && echo '${refused}' > "$TMPDIR/ssh.log"; exit 1`

  expect(await failureOf('Fatal: read |0: file already closed', log, place)).toBe(
    `Error: restic cat: ${refused} | Fatal: read |0: file already closed`,
  )
})

/** A restic that keeps what it saves in a folder, with these lines before. */
async function tried(lines: string) {
  const folder = await mkdtemp(join(tmpdir(), 'restic-'))
  const program = join(folder, 'restic')
  const script = `#!/bin/sh
echo "$*" >> ${folder}/ran
case "$*" in
${lines}
*' backup '*) cat > ${folder}/kept; echo '{"message_type":"summary","snapshot_id":"abc"}' ;;
*' dump '*) cat ${folder}/kept ;;
*' forget '*) rm ${folder}/kept ;;
esac
`
  await writeFile(program, script, { mode: 0o755 })
  const target = { place: STORE, secret: new Secret('') }
  const start = async () => [program]
  const run = join(folder, 'run')
  const opened = {
    start,
    folder: run,
    target,
    password: new Secret('the password'),
    stall_ms: 5_000,
  }
  const error = await withRestic(opened, (restic) => tryWriting(restic, opened, 'text')).then(
    () => null,
    (reason: Error) => reason.message,
  )
  const ran = (await Bun.file(`${folder}/ran`).text()).trim().split('\n')
  await rm(folder, { recursive: true })
  return { error, ran: ran.map((line) => line.replace(/.*--retry-lock=\S+ /, '')) }
}

const SAVING = 'backup --json --host hosting --stdin --stdin-filename check.txt --tag check'

test('the trial of a storage writes a text, reads it and removes it', async () => {
  expect(await tried('')).toEqual({
    error: null,
    ran: [SAVING, 'dump abc /check.txt', 'forget abc'],
  })
})

test('a storage that refuses to delete passes the trial', async () => {
  const { error } = await tried(`*' forget '*) echo 'blob not removed: 403' >&2; exit 1 ;;`)

  expect(error).toBe(null)
})

test('a storage that returns something else does not pass the trial', async () => {
  const { error } = await tried(`*' dump '*) echo other ;;`)

  expect(error).toBe('The storage returned something else than was written')
})

test.each([
  'Fatal: unable to save snapshot: Access Denied.',
  'Save(<data/1>): sftp: permission denied (SSH_FX_PERMISSION_DENIED)',
  'server response unexpected: 403 Forbidden (403)',
])('an account that can only read is named: %s', async (words) => {
  const { error, ran } = await tried(`*' backup '*) echo '${words}' >&2; exit 1 ;;`)

  expect(error).toBe(
    `The account of the dashboard can read the storage but not write to it: use one that can write (restic backup: ${words})`,
  )
  expect(ran).toEqual([SAVING])
})

test('an account that cannot make the locks of restic is named, too', async () => {
  const words = 'Fatal: unable to create lock in backend: Access Denied.'

  expect(await failureOf(words)).toBe(
    `Error: The account of the dashboard can read the storage but not write to it: use one that can write (restic cat: ${words})`,
  )
})
